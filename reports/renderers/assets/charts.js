'use strict';
// Draws the charts of the page from the tables of its data. Needs quantity.js and Chart.js.

// Okabe and Ito's palette, which colour-blind people tell apart (jfly.uni-koeln.de/color, 2008), by the page's styles.
const COLOURS = 7;

function styleOf(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

function palette() {
  return {
    series: Array.from({ length: COLOURS }, (_, i) => styleOf(`--series-${i}`)),
    text: styleOf('--text'), grid: styleOf('--grid'), ground: styleOf('--ground'),
  };
}

const isNumber = (value) => typeof value === 'number';

function wordOf(value) { return isNumber(value) ? quantityText(value, '1') : String(value); }

function points(spec, table, column) {
  return table.rows
    .filter((row) => isNumber(row[column]) && isNumber(row[spec.x]))
    .map((row) => ({ x: row[spec.x], y: row[column], label: spec.label.map((at) => wordOf(row[at])).join(' \u00d7 ') }));
}

function band(spec, table, series, colour) {
  const shared = { pointRadius: 0, pointHitRadius: 0, borderWidth: 0, backgroundColor: `${colour}33`, pointStyle: 'rect',
    showLine: true };
  return [
    { ...shared, label: '', data: points(spec, table, series.low), fill: false },
    { ...shared, label: '5 to 95 %', data: points(spec, table, series.high), fill: '-1' },
  ];
}

const MANY = 60;  // points that would hide each other
const SHAPES = ['circle', 'triangle', 'rect', 'rectRot', 'star', 'crossRot', 'cross'];

function lineSet(spec, table, series, i, colours) {
  const colour = series.style === 'dashed' ? colours.text : colours.series[i % COLOURS];
  const looks = {
    line: { borderWidth: 2, pointRadius: 4 },
    dashed: { borderWidth: 1.5, borderDash: [6, 5], pointRadius: 0, pointHitRadius: 0, pointStyle: 'line' },
    points: { showLine: false, pointRadius: table.rows.length > MANY ? 3 : 4.5,
      backgroundColor: table.rows.length > MANY ? `${colour}80` : colour },
    marks: { showLine: false, pointRadius: 10, pointBorderWidth: 3, backgroundColor: 'transparent', pointStyle: 'circle' },
  }[series.style];
  return {
    label: series.name, data: points(spec, table, series.y), borderColor: colour, backgroundColor: colour,
    pointStyle: SHAPES[i % SHAPES.length], tension: 0, showLine: true, ...looks,
  };
}

// The lines y = ratio * x over the range of the points.
function ratioSet(ratio, sets, colours) {
  const xs = sets.flatMap((set) => set.data.map((point) => point.x)).filter((x) => x > 0);
  return {
    label: ratio === 1 ? 'equal' : `${ratio > 1 ? '+' : '\u2212'}${(100 * Math.abs(ratio - 1)).toFixed(0)} %`,
    data: [Math.min(...xs), Math.max(...xs)].map((x) => ({ x, y: ratio * x, label: '' })), borderColor: colours.text,
    borderWidth: ratio === 1 ? 1.5 : 1, borderDash: ratio === 1 ? [] : [3, 4], pointRadius: 0, pointHitRadius: 0,
    pointStyle: 'line', showLine: true,
  };
}

function lineSets(spec, table, colours) {
  const sets = spec.series.map((series, i) => lineSet(spec, table, series, i, colours));
  const bands = spec.series.flatMap((series, i) =>
    series.low === null ? [] : band(spec, table, series, colours.series[i % COLOURS]));
  return [...sets, ...spec.ratios.map((ratio) => ratioSet(ratio, sets, colours)), ...bands]
    .filter((set) => set.data.length > 0);
}

// In lines of about 16 characters, so that a narrow screen has room for the bars.
function linesOf(text) {
  return text.split(' ').reduce((lines, word) => {
    const last = lines.at(-1);
    return last !== undefined && last.length + word.length < 16
      ? [...lines.slice(0, -1), `${last} ${word}`] : [...lines, word];
  }, []);
}

function barData(spec, table, colours) {
  const label = (row) => isNumber(row[spec.x]) ? quantityText(row[spec.x], spec.xAxis.unit)
    : spec.lying ? linesOf(String(row[spec.x])) : String(row[spec.x]);
  const numbers = (column) => table.rows.map((row) => row[column]);
  return {
    labels: table.rows.map(label),
    datasets: spec.series.map((series, i) => series.style === 'bars'
      ? { type: 'bar', label: series.name, data: numbers(series.y), backgroundColor: colours.series[i % COLOURS],
        pointStyle: 'rect', stack: 'parts', order: 1 }
      : { type: 'line', label: series.name, data: numbers(series.y), borderColor: colours.text, borderDash: [6, 5],
        borderWidth: 2, pointRadius: 0, pointStyle: 'line', stepped: 'middle', order: 0 }),
  };
}

// Numbers that an axis may be marked with.
const POWERS = Array.from({ length: 40 }, (_, i) => 10 ** (i - 15));
const LADDERS = {
  's': [...POWERS.filter((power) => power < 5).flatMap((power) => [1, 2, 5].map((n) => n * power)), 10, 30,
    60, 120, 300, 600, 1800, 3600, 7200, 18000, 36000, 86400, 2 * 86400, 5 * 86400, 10 * 86400, 30 * 86400],
  other: POWERS.flatMap((power) => [1, 2, 5].map((n) => n * power)),
};
const COARSE_TIMES = [...POWERS.filter((power) => power <= 10), 60, 600, 3600, 36000, 360000, 3600000];
const MOST_TICKS = 9;

// Round numbers at even distances, where powers of ten are too far apart.
function evenTicks(unit, low, high) {
  const base = unit !== 's' || high < 120 ? 1 : high < 7200 ? 60 : 3600;
  const rough = (high - low) / base / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((n) => n * power >= rough) * power * base;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => (first + i) * step);
}

// On a logarithmic axis: the values themselves where they are few counts, else a ladder, thinned to powers of ten.
function logarithmicTicks(axis, values, low, high) {
  const own = [...new Set(values)].sort((a, b) => a - b);
  if (axis.unit === '1' && own.length <= 16 && own.every(Number.isInteger)) return own;
  if (high / low < 6) return evenTicks(axis.unit, low, high);
  const ladder = (LADDERS[axis.unit] || LADDERS.other).filter((value) => value >= low && value <= high);
  if (ladder.length <= MOST_TICKS) return ladder;
  if (axis.unit === 's') return COARSE_TIMES.filter((value) => value >= low && value <= high);
  const tens = ladder.filter((value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9);
  return tens.length > 2 ? tens : ladder;
}

function logarithmicAxis(axis, values) {
  const positive = values.filter((value) => value > 0);
  const padding = axis.unit === '1' ? 1.08 : 1.25;
  const min = Math.min(...positive) / padding, max = Math.max(...positive) * padding;
  return {
    type: 'logarithmic', min, max,
    afterBuildTicks: (scale) => {
      scale.ticks = logarithmicTicks(axis, values, min, max).map((value) => ({ value }));
    },
  };
}

// Memory is marked in powers of two.
function linearAxis(axis, values) {
  const largest = Math.max(...values.filter(isNumber), 0);
  const step = axis.unit === 'B' && largest > 0 ? { stepSize: 2 ** Math.max(0, Math.ceil(Math.log2(largest / 8))) } : {};
  return { type: 'linear', beginAtZero: true, ticks: step };
}

function axisOptions(axis, colours, values) {
  const shared = {
    title: { display: axis.title !== '', text: axis.title, color: colours.text }, grid: { color: colours.grid },
  };
  if (values === null) return { ...shared, ticks: { color: colours.text } };  // categories
  const numeric = axis.logarithmic ? logarithmicAxis(axis, values) : linearAxis(axis, values);
  return {
    ...shared, ...numeric, ticks: { ...numeric.ticks, color: colours.text, maxRotation: 0, autoSkip: true,
      autoSkipPadding: 12, callback: (value) => tickText(value, axis.unit) },
  };
}

function tooltipText(spec, item) {
  const unit = spec.lying ? spec.xAxis.unit : spec.yAxis.unit;
  const name = item.raw && item.raw.label ? `${item.raw.label}: ` : '';
  const value = isNumber(item.raw) ? item.raw : item.raw.y;
  const at = isNumber(item.raw) ? '' : ` at ${quantityText(item.raw.x, spec.xAxis.unit)}`;
  return `${name}${item.dataset.label} ${quantityText(value, unit)}${at}`;
}

// Names beside all points where they are few, else beside the last of the series, the front.
const FEW = 8, MOST_NAMES = 16;
const pointNames = {
  id: 'pointNames',
  afterDatasetsDraw(chart, _, options) {
    const sets = chart.data.datasets.map((set, i) => ({ set, points: chart.getDatasetMeta(i).data }));
    const named = sets.find(({ set }) => set.data.length <= FEW) || sets[sets.length - 1];
    if (!options.shown || named.set.data.length > MOST_NAMES) return;
    const { ctx, chartArea } = chart;
    ctx.save();
    ctx.fillStyle = options.colour;
    ctx.font = `12px ${Chart.defaults.font.family}`;
    const taken = [];
    named.points.forEach((point, i) => {
      const text = named.set.data[i].label, width = ctx.measureText(text).width;
      const left = point.x + 8 + width < chartArea.right ? point.x + 8 : point.x - 8 - width, bottom = point.y - 6;
      // A name that would cover another is left to the tooltip.
      if (taken.some((box) => left < box.right && left + width > box.left && Math.abs(bottom - box.bottom) < 13)) return;
      taken.push({ left, right: left + width, bottom });
      ctx.fillText(text, left, bottom);
    });
    ctx.restore();
  },
};

function chartOptions(spec, colours, bars, sets) {
  const along = (key) => bars ? null : sets.flatMap((set) => set.data.map((point) => point[key]));
  // The tallest stack, and lines beside it.
  const heights = bars ? sets.flatMap((set) => set.data.filter(isNumber)) : along('y');
  return {
    animation: false, responsive: true, maintainAspectRatio: false, indexAxis: spec.lying ? 'y' : 'x',
    scales: {
      x: { ...axisOptions(spec.xAxis, colours, spec.lying ? heights : along('x')), stacked: bars },
      y: { ...axisOptions(spec.yAxis, colours, spec.lying ? null : heights), stacked: bars },
    },
    plugins: {
      legend: {
        display: sets.length > 1,
        labels: { color: colours.text, usePointStyle: true, boxWidth: 24, boxHeight: 9, filter: (item) => item.text !== '',
          sort: (a, b) => a.datasetIndex - b.datasetIndex },
      },
      tooltip: { callbacks: { title: (items) => bars ? items[0].label : '', label: (item) => tooltipText(spec, item) } },
      pointNames: { shown: spec.named, colour: colours.text },
    },
  };
}

const drawn = new Map();

/** Draws a chart, or draws it again in the colours that hold now. */
function drawChart(spec, tables) {
  const colours = palette();
  const bars = spec.series.some((series) => series.style === 'bars');
  const table = tables[spec.table];
  if (drawn.has(spec.id)) drawn.get(spec.id).destroy();
  const sets = bars ? barData(spec, table, colours) : { datasets: lineSets(spec, table, colours) };
  drawn.set(spec.id, new Chart(document.getElementById(`chart-${spec.id}`), {
    type: bars ? 'bar' : 'scatter', data: sets, options: chartOptions(spec, colours, bars, sets.datasets),
    plugins: [pointNames],
  }));
}

function drawCharts(data) { for (const spec of data.charts) drawChart(spec, data.tables); }

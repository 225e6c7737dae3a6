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

function points(spec, table, column) {
  return table.rows
    .filter((row) => isNumber(row[column]) && isNumber(row[spec.x]))
    .map((row) => ({ x: row[spec.x], y: row[column], label: spec.label === null ? '' : String(row[spec.label]) }));
}

function band(spec, table, series, colour) {
  const shared = { pointRadius: 0, pointHitRadius: 0, borderWidth: 0, backgroundColor: `${colour}33` };
  return [
    { ...shared, label: '', data: points(spec, table, series.low), fill: false },
    { ...shared, label: '5 to 95 %', data: points(spec, table, series.high), fill: '-1' },
  ];
}

const SHAPES = ['circle', 'triangle', 'rect', 'rectRot', 'star', 'crossRot', 'cross'];

function lineSet(spec, table, series, i, colours) {
  const colour = series.style === 'dashed' ? colours.text : colours.series[i % COLOURS];
  const looks = {
    line: { borderWidth: 2, pointRadius: 4 },
    dashed: { borderWidth: 1.5, borderDash: [6, 5], pointRadius: 0, pointHitRadius: 0 },
    points: { showLine: false, pointRadius: 5 },
    marks: { showLine: false, pointRadius: 10, pointBorderWidth: 3, backgroundColor: 'transparent' },
  }[series.style];
  return {
    label: series.name, data: points(spec, table, series.y), borderColor: colour, backgroundColor: colour,
    pointStyle: series.style === 'marks' ? 'circle' : SHAPES[i % SHAPES.length], tension: 0, ...looks,
  };
}

function ratioSet(ratio, sets, colours) {
  const xs = sets.flatMap((set) => set.data.map((point) => point.x));
  const ends = [Math.min(...xs), Math.max(...xs)];
  return {
    label: ratio === 1 ? 'equal' : `${ratio > 1 ? '+' : '\u2212'}${(100 * Math.abs(ratio - 1)).toFixed(0)} %`,
    data: ends.map((x) => ({ x, y: ratio * x, label: '' })), borderColor: colours.text,
    borderWidth: ratio === 1 ? 1.5 : 1, borderDash: ratio === 1 ? [] : [3, 4], pointRadius: 0, pointHitRadius: 0,
  };
}

function lineData(spec, table, colours) {
  const sets = spec.series.map((series, i) => lineSet(spec, table, series, i, colours));
  const bands = spec.series.flatMap((series, i) =>
    series.low === null ? [] : band(spec, table, series, colours.series[i % COLOURS]));
  return { datasets: [...sets, ...spec.ratios.map((ratio) => ratioSet(ratio, sets, colours)), ...bands] };
}

function barData(spec, table, colours) {
  const label = (row) => isNumber(row[spec.x]) ? quantityText(row[spec.x], spec.xAxis.unit) : String(row[spec.x]);
  const numbers = (column) => table.rows.map((row) => row[column]);
  return {
    labels: table.rows.map(label),
    datasets: spec.series.map((series, i) => series.style === 'bars'
      ? { type: 'bar', label: series.name, data: numbers(series.y), backgroundColor: colours.series[i % COLOURS],
        borderColor: colours.ground, borderWidth: 1, stack: 'parts', order: 1 }
      : { type: 'line', label: series.name, data: numbers(series.y), borderColor: colours.text, borderDash: [6, 5],
        borderWidth: 2, pointRadius: 0, order: 0 }),
  };
}

function axisOptions(axis, colours, category) {
  const isRoundLog = (value) => [1, 2, 5].includes(Math.round(value / 10 ** Math.floor(Math.log10(value) + 1e-9)));
  const numeric = category ? {} : {
    type: axis.logarithmic ? 'logarithmic' : 'linear', beginAtZero: !axis.logarithmic,
    ticks: {
      color: colours.text, maxRotation: 0, autoSkipPadding: 12,
      callback: (value) => axis.logarithmic && !isRoundLog(value) ? null : tickText(value, axis.unit),
    },
  };
  return {
    title: { display: true, text: axis.title, color: colours.text }, grid: { color: colours.grid },
    ticks: { color: colours.text }, ...numeric,
  };
}

function tooltipText(spec, item) {
  const unit = spec.lying ? spec.xAxis.unit : spec.yAxis.unit;
  const name = item.raw && item.raw.label ? `${item.raw.label}: ` : '';
  const value = isNumber(item.raw) ? item.raw : item.raw.y;
  const at = isNumber(item.raw) ? '' : ` at ${quantityText(item.raw.x, spec.xAxis.unit)}`;
  return `${name}${item.dataset.label} ${quantityText(value, unit)}${at}`;
}

function chartOptions(spec, colours, bars) {
  return {
    animation: false, responsive: true, maintainAspectRatio: false, indexAxis: spec.lying ? 'y' : 'x',
    scales: {
      x: { ...axisOptions(spec.xAxis, colours, bars && !spec.lying), stacked: bars },
      y: { ...axisOptions(spec.yAxis, colours, bars && spec.lying), stacked: bars },
    },
    plugins: {
      legend: {
        display: spec.series.length + spec.ratios.length > 1 || spec.series.some((series) => series.low !== null),
        labels: { color: colours.text, usePointStyle: !bars, boxWidth: 12, filter: (item) => item.text !== '' },
      },
      tooltip: { callbacks: { title: (items) => bars ? items[0].label : '', label: (item) => tooltipText(spec, item) } },
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
  drawn.set(spec.id, new Chart(document.getElementById(`chart-${spec.id}`), {
    type: bars ? 'bar' : 'scatter',
    data: bars ? barData(spec, table, colours) : { datasets: lineData(spec, table, colours).datasets
      .map((set) => ({ showLine: true, ...set })) },
    options: chartOptions(spec, colours, bars),
  }));
}

function drawCharts(data) { for (const spec of data.charts) drawChart(spec, data.tables); }

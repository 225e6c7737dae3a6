'use strict';
// Sliders of price, deadline and batch: the cheapest candidate that ends in time, from the page's own table. Needs
// quantity.js.

const COLUMNS = { system: 'system', accelerators: 'accelerators', batch: 'global batch', time: 'time to target',
  low: 'time, 5 %', high: 'time, 95 %', billed: 'billed', billedLow: 'billed, 5 %', billedHigh: 'billed, 95 %',
  price: 'price' };
const STEPS = 200;

function candidatesOf(table) {
  const at = (heading) => table.columns.findIndex((column) => column.heading === heading);
  return table.rows.map((row) => Object.fromEntries(
    Object.entries(COLUMNS).map(([key, heading]) => [key, row[at(heading)]])));
}

// Abramowitz and Stegun, Handbook of Mathematical Functions, 7.1.26: within 1.5e-7.
function errorFunction(x) {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.sign(x) * (1 - series * Math.exp(-x * x));
}

/** Probability that a time whose logarithm is normal, with this 5th and 95th percentile, is below the deadline. */
function probabilityWithin(deadline, low, high) {
  const spread = Math.log(high / low) / (2 * 1.6448536);
  if (!(spread > 0)) return deadline >= high ? 1 : 0;
  return (1 + errorFunction((Math.log(deadline) - Math.log(low * high) / 2) / (spread * Math.SQRT2))) / 2;
}

/** A slider over a range of numbers, evenly by their logarithm; `values` instead for a choice of a few. */
function addSlider(form, name, label, range) {
  const id = `${form.id}-${name}`;
  const holder = document.createElement('div');
  const caption = Object.assign(document.createElement('label'), { htmlFor: id, textContent: label });
  const input = Object.assign(document.createElement('input'), { type: 'range', id, min: 0, step: 1 });
  const output = document.createElement('output');
  output.htmlFor = id;
  input.max = range.values ? range.values.length - 1 : STEPS;
  const position = (value) => Math.round(STEPS * Math.log(value / range.low) / Math.log(range.high / range.low));
  input.value = range.values ? 0 : position(range.start);
  const slider = {
    value: () => range.values ? range.values[Number(input.value)]
      // Where it stands first it says exactly that.
      : Number(input.value) === position(range.start) ? range.start
        : range.low * (range.high / range.low) ** (Number(input.value) / STEPS),
    show: () => {
      output.textContent = range.text(slider.value());
      input.setAttribute('aria-valuetext', output.textContent);
    },
  };
  holder.append(caption, input, output);
  form.append(holder);
  return slider;
}

// USD an hour for one accelerator; 1 where no price is on record, which the label says.
function addPriceSliders(form, candidates, systems) {
  const prices = new Map();
  for (const candidate of candidates) {
    if (prices.has(candidate.system) || (systems.length > 0 && !systems.includes(candidate.system))) continue;
    const known = typeof candidate.price === 'number' && candidate.price > 0;
    const listed = known ? candidate.price / candidate.accelerators : 1;
    const where = candidates.some((other) => other.system !== candidate.system) ? ` of ${candidate.system}` : '';
    const label = `Price of one accelerator${where}${known ? '' : ' (none on record)'}`;
    prices.set(candidate.system, addSlider(form, `price-${prices.size}`, label,
      { low: listed / 10, high: listed * 10, start: listed, text: (value) => `${digits(value)} USD/h` }));
  }
  return prices;
}

// Those without a slider keep their price.
function pricedBy(prices) {
  return (candidate) => {
    const slider = prices.get(candidate.system);
    const hourly = slider ? slider.value() * candidate.accelerators : candidate.price;
    const cost = (seconds) => hourly * seconds / 3600;
    return { ...candidate, cost: cost(candidate.billed), costLow: cost(candidate.billedLow),
      costHigh: cost(candidate.billedHigh) };
  };
}

function nameOf(candidate, several) {
  const where = several ? ` of ${candidate.system}` : '';
  const count = quantityText(candidate.accelerators, '1');
  return `${count} accelerator${candidate.accelerators === 1 ? '' : 's'}${where} with batch ` +
    quantityText(candidate.batch, '1');
}

function figuresOf(candidate) {
  return `${timeText(candidate.time)} (${rangeText(candidate.low, candidate.high, 's')}), ` +
    `${quantityText(candidate.cost, 'USD')} (${rangeText(candidate.costLow, candidate.costHigh, 'USD')})`;
}

function percent(share) { return share > 0.999 ? 'more than 99.9 %' : `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`; }

/** The sentence for these candidates, already priced. */
function sliderAnswer(candidates, deadline, confidence, several) {
  if (candidates.length === 0) return 'No candidate has this batch.';
  const chance = (candidate) => probabilityWithin(deadline, candidate.low, candidate.high);
  const inTime = candidates.filter((candidate) => chance(candidate) >= confidence).sort((a, b) => a.cost - b.cost);
  if (inTime.length === 0) {
    const nearest = [...candidates].sort((a, b) => a.high - b.high)[0];
    return `Nothing here ends within ${timeText(deadline)} in ${percent(confidence)} of runs. The nearest is ` +
      `${nameOf(nearest, several)}: ${figuresOf(nearest)}; it does so in ${percent(chance(nearest))} of runs.`;
  }
  const [best, second] = inTime;
  const next = second ? ` Next: ${nameOf(second, several)}, ${figuresOf(second)}.` : '';
  return `Cheapest within ${timeText(deadline)}: ${nameOf(best, several)}: ${figuresOf(best)}. It ends in time in ` +
    `${percent(chance(best))} of runs.${next}`;
}

function addDeadlineSlider(form, spec, candidates) {
  const low = Math.min(spec.deadline, ...candidates.map((candidate) => candidate.low)) / 2;
  const high = Math.max(spec.deadline, ...candidates.map((candidate) => candidate.high)) * 1.5;
  return addSlider(form, 'deadline', 'Deadline', { low, high, start: spec.deadline, text: timeText });
}

function addBatchSlider(form, candidates) {
  const batches = [...new Set(candidates.map((candidate) => candidate.batch))].sort((a, b) => a - b);
  return addSlider(form, 'batch', 'Global batch',
    { values: ['any', ...batches], text: (value) => value === 'any' ? 'any' : quantityText(value, '1') });
}

function addSliders(spec, tables) {
  const candidates = candidatesOf(tables[spec.table]);
  const form = document.getElementById(`sliders-${spec.id}`);
  const answer = document.getElementById(`answer-${spec.id}`);
  const prices = addPriceSliders(form, candidates, spec.systems);
  const deadline = addDeadlineSlider(form, spec, candidates);
  const batch = addBatchSlider(form, candidates);
  const several = candidates.some((candidate) => candidate.system !== candidates[0].system);
  const update = () => {
    for (const slider of [...prices.values(), deadline, batch]) slider.show();
    const chosen = candidates.filter((candidate) => (batch.value() === 'any' || candidate.batch === batch.value()) &&
      (prices.has(candidate.system) || candidate.price !== null));
    answer.textContent = sliderAnswer(chosen.map(pricedBy(prices)), deadline.value(), spec.confidence, several);
  };
  form.addEventListener('input', update);
  form.addEventListener('submit', (event) => event.preventDefault());
  update();
}

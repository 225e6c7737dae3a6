'use strict';
// Numbers as people read them, as core/text/units_text.cpp writes them: three digits and a readable unit.

const NARROW_SPACE = '\u202f';

function digits(value) {
  const size = Math.abs(value);
  if (size >= 99.95) return value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, NARROW_SPACE);
  if (size >= 9.995) return value.toFixed(1);
  if (size >= 0.9995 || size === 0) return value.toFixed(2);
  return String(Number(value.toPrecision(3)));
}

function scaled(value, units) {
  let [name, scale] = units[0];
  for (const unit of units) if (Math.abs(value) >= unit[1] * 0.9995) [name, scale] = unit;
  return `${digits(value / scale)} ${name}`;
}

const UNITS = {
  's': [['ns', 1e-9], ['us', 1e-6], ['ms', 1e-3], ['s', 1], ['min', 60], ['h', 3600]],
  'B': [['B', 1], ['KiB', 2 ** 10], ['MiB', 2 ** 20], ['GiB', 2 ** 30], ['TiB', 2 ** 40]],
  'B/s': [['B/s', 1], ['kB/s', 1e3], ['MB/s', 1e6], ['GB/s', 1e9], ['TB/s', 1e12]],
  'rate': [['', 1], ['k', 1e3], ['M', 1e6], ['G', 1e9]],
  'samples/s': [['samples/s', 1], ['M samples/s', 1e6], ['G samples/s', 1e9]],
};

function timeText(seconds) {
  if (seconds === 0) return '0 s';
  if (seconds >= 60 && seconds < 120) return `${digits(seconds)} s`;
  if (seconds >= 3600 && seconds < 7200) return `${digits(seconds / 60)} min`;
  return scaled(seconds, UNITS.s);
}

function moneyText(money) { return money >= 99.5 ? digits(money) : money.toFixed(2); }

/** `value` in `unit`, as a column or an axis of the page has it. */
function quantityText(value, unit) {
  if (unit === 's') return timeText(value);
  if (unit === 'share') return `${(100 * value).toFixed(1)} %`;
  if (unit === 'USD' || unit === 'USD/h') return `${moneyText(value)} ${unit}`;
  if (unit in UNITS) return scaled(value, UNITS[unit]);
  return Number.isInteger(value) ? String(value).replace(/\B(?=(\d{3})+$)/g, NARROW_SPACE) : digits(value);
}

/** Both ends, the unit once where they share it. */
function rangeText(low, high, unit) {
  const ends = [low, high].map((value) => quantityText(value, unit));
  const units = ends.map((end) => end.slice(end.indexOf(' ')));
  return units[0] === units[1] ? `${ends[0].slice(0, ends[0].indexOf(' '))} .. ${ends[1]}` : ends.join(' .. ');
}

/** quantityText without digits that say nothing and without what the axis says: 1 min, 10 USD, 20 k. */
function tickText(value, unit) {
  const text = unit === 'samples/s' ? scaled(value, UNITS.rate) : quantityText(value, unit);
  return text.trim().replace(/^(-?[\d\u202f]+)\.(\d*?)0+(?= |$)/,
    (_, whole, fraction) => fraction ? `${whole}.${fraction}` : whole);
}

'use strict';
// Reports of the built mlsim as a browser shows them. Environment: MLSIM_PROGRAM, MLSIM_CHROMIUM, NODE_PATH with
// playwright-core and axe-core, and MLSIM_PAGES, a list of the jobs below (empty: all of them and the runs).
const assert = require('node:assert/strict');
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { after, before, test } = require('node:test');
const { launched, opened } = require('./page.js');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mlsim-pages-'));
// An idle machine draws a page in 0.3 s; the limit is for a page that hangs, not for a busy machine.
const DRAWN_WITHIN_MS = 10_000, LARGEST_BYTES = 2 * 2 ** 20;
const CHOSEN = process.env.MLSIM_PAGES ? process.env.MLSIM_PAGES.split(',') : undefined;
const CASES = [
  ['torus', ['predict', '--topology', 'torus128x32', '--workload', 'resnet50']],
  ['bert', ['predict', '--topology', 'dgx-a100:nodes=8', '--workload', 'bert-large']],
  ['plan', ['plan', '--workload', 'resnet50', '--topology', 'dgx-a100,dgx1-v100', '--deadline', '2h']],
  ['compare', ['compare', 'dgx-a100', 'dgx1-v100:nodes=2', 'tpu-v3-32 price-date=2020-07', '--workload', 'resnet50']],
  ['sweep', ['sweep', '--topology', 'dgx-a100,dgx1-v100', '--workload', 'resnet50', '--accelerators', '1..8',
    '--batch-per-accelerator', '64,128', '--output', path.join(folder, 'sweep.sqlite')]],
].filter(([name]) => CHOSEN === undefined || CHOSEN.includes(name));
// A validation of made-up runs, saved and made a page of by `mlsim report`.
const RUNS = Array.from({ length: 12 }, (_, i) => ({
  id: `run-${i}`, group: i % 2 ? 'odd </script>' : 'even', metric: 'throughput', value: 100 * (i + 1),
  predicted: 100 * (i + 1) * (1 + (i - 6) / 50), relative_error: (i - 6) / 50, interval: [90 * (i + 1), 110 * (i + 1)],
  role: 'check', distance: '', linear: 120 * (i + 1),
}));
const fileOf = (name) => path.join(folder, `${name}.html`);
let browser;

before(async () => {
  for (const [name, command] of CASES)
    execFileSync(process.env.MLSIM_PROGRAM, [...command, '--quiet', '--report', fileOf(name)], { stdio: 'pipe' });
  fs.writeFileSync(path.join(folder, 'runs.json'), JSON.stringify({ cases: RUNS, groups: [], passed: true }));
  execFileSync(process.env.MLSIM_PROGRAM, ['report', path.join(folder, 'runs.json'), '--output', fileOf('runs')]);
  browser = await launched();
});
after(async () => {
  await browser?.close();
  fs.rmSync(folder, { recursive: true });
});

const JOBS = CASES.map(([name]) => name), PAGES = CHOSEN ? JOBS : [...JOBS, 'runs'];

// What is true of a page, one after another while it stays open: name, check, and the pages that it is asked of.
const FACTS = [];
function fact(name, check, pages = PAGES) {
  FACTS.push({ name, check, pages });
}

// Waits until what follows a change of the window's size or colours is drawn.
const drawnAnew = (page) => page.evaluate(() => new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(done));
}));
const openTables = (page) => page.evaluate(() => {
  document.querySelectorAll('details').forEach((details) => { details.open = true; });
});

// A number as the page writes it, in the unit of its column.
const SCALES = { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1, min: 60, h: 3600, B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30,
  TiB: 2 ** 40, USD: 1, 'USD/h': 1, '%': 0.01, '': 1, 'samples/s': 1, 'M samples/s': 1e6, 'G samples/s': 1e9 };
function valueOf(text) {
  const [, number, unit] = /^x?([-+]?[\d\u202f.]+(?:e[-+]\d+)?)[\s\u00a0]?(.*)$/.exec(text);
  assert.ok(unit in SCALES, `unit of "${text}"`);
  return Number(number.replaceAll('\u202f', '')) * SCALES[unit];
}

fact('the file is small, and drawn within ten seconds', async ({ page }, name) => {
  assert.ok(fs.statSync(fileOf(name)).size < LARGEST_BYTES);
  const drawn = Number(await page.evaluate(() => document.documentElement.dataset.drawn));
  assert.ok(drawn > 0 && drawn < DRAWN_WITHIN_MS, `${drawn} ms`);
});

fact('nothing but the file is loaded, and the console stays silent', async ({ page, requests, complaints }) => {
  await page.mouse.wheel(0, 20000);
  await page.waitForTimeout(100);
  assert.deepEqual(requests, []);
  assert.deepEqual(complaints, []);
});

fact('every chart is drawn, in more than one colour, and has a name', async ({ page }) => {
  const charts = await page.evaluate(() => [...document.querySelectorAll('canvas')].map((canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const colours = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200) colours.add(data.slice(i, i + 3).join());
    return { id: canvas.id, colours: colours.size, role: canvas.getAttribute('role'), label: canvas.ariaLabel };
  }));
  assert.ok(charts.length >= 1);
  for (const chart of charts) {
    assert.ok(chart.colours > 3, `${chart.id}: ${chart.colours} colours`);
    assert.equal(chart.role, 'img');
    assert.ok(chart.label.length > 20, chart.id);
  }
});

fact('tables say what the data say, number for number', async ({ page }) => {
  const { data, shown } = await page.evaluate(() => ({
    data: JSON.parse(document.getElementById('data').textContent).tables,
    shown: Object.fromEntries([...document.querySelectorAll('table')].map((table) => [table.id.replace(/^table-/, ''),
      [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent))])),
  }));
  assert.deepEqual(Object.keys(shown).sort(), Object.keys(data).sort());
  let numbers = 0;
  for (const [id, table] of Object.entries(data)) {
    assert.equal(shown[id].length, table.rows.length, id);
    table.rows.forEach((row, i) => row.forEach((value, j) => {
      const text = shown[id][i][j], where = `${id}[${i}][${j}]: "${text}"`;
      if (value === null) return assert.equal(text, '', where);
      if (typeof value === 'string') return assert.equal(text.replace(/[\u202f\u00a0]/g, ' '), value, where);
      numbers += 1;
      assert.ok(Math.abs(valueOf(text) - value) <= Math.max(0.0051 * Math.abs(value), 0.0051), `${where} is ${value}`);
    }));
  }
  assert.ok(numbers > 20);
});

fact('each table has its numbers as CSV in the file itself', async ({ page }) => {
  const links = await page.evaluate(() => [...document.querySelectorAll('a[download]')]
    .map((link) => [link.download, decodeURIComponent(link.href.replace(/^data:text\/csv;charset=utf-8,/, ''))]));
  const tables = await page.evaluate(() => JSON.parse(document.getElementById('data').textContent).tables);
  assert.deepEqual(links.map(([name]) => name).sort(), Object.keys(tables).map((id) => `${id}.csv`).sort());
  for (const [name, text] of links) {
    const rows = tables[name.replace(/\.csv$/, '')].rows;
    assert.equal(text.match(/\r\n/g).length, rows.length + 1, name);
    const last = rows[0].at(-1);
    if (typeof last === 'number') assert.equal(Number(text.split('\r\n')[1].split(',').at(-1)), last, name);
  }
});

for (const width of [380, 800, 1600]) {
  fact(`nothing sticks out at ${width} px, with all tables open`, async ({ page }) => {
    await openTables(page);
    await page.setViewportSize({ width, height: 900 });
    await drawnAnew(page);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), width);
  });
}

// In the dark only colours differ.
for (const [colorScheme, rules, fewest] of [['light', undefined, 10], ['dark', ['cat.color'], 1]]) {
  fact(`axe finds nothing serious, ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme });
    await openTables(page);
    await drawnAnew(page);
    await page.evaluate(fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
    const { violations, passes } = await page.evaluate((runOnly) => axe.run(runOnly ? { runOnly } : {}), rules);
    const grave = violations.filter(({ impact }) => ['serious', 'critical'].includes(impact));
    assert.deepEqual(grave.map(({ id, nodes }) => [id, nodes[0].html]), []);
    assert.ok(passes.length >= fewest);
  });
}

fact('sliders change the answer, which is announced', async ({ page }) => {
  const answer = page.locator('.slider-answer');
  assert.equal(await answer.getAttribute('aria-live'), 'polite');
  const said = [await answer.textContent()];
  for (const [name, key] of [['price', 'End'], ['deadline', 'End'], ['batch', 'End']]) {
    for (const slider of await page.locator(`[id^="sliders-prices-${name}"]`).all()) await slider.press(key);
    said.push(await answer.textContent());
  }
  assert.equal(new Set(said).size, said.length, said.join('\n'));
  await page.locator('#sliders-prices-deadline').press('Home');
  assert.match(await answer.textContent(), /Nothing here ends within/);
}, JOBS);

fact('nothing sticks out on paper', async ({ page }) => {
  await page.setViewportSize({ width: 688, height: 1000 });  // A4 less its margins, at 96 px an inch
  await page.emulateMedia({ media: 'print' });
  await drawnAnew(page);
  const [width, widest] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
  assert.ok(widest <= width, `${widest} of ${width} px`);
  await page.emulateMedia({ media: 'screen' });
});

fact('prints to PDF', async ({ page }) => {
  const pdf = await page.pdf({ format: 'A4' });
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-');
  const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g).length;
  assert.ok(pages >= 2 && pages < 30, `${pages} pages`);
});

for (const name of PAGES) {
  test(name, async (page) => {
    const visit = await opened(browser, fileOf(name));
    for (const { name: said, check } of FACTS.filter(({ pages }) => pages.includes(name)))
      await page.test(said, () => check(visit, name));
    await visit.page.close();
  });

  test(`${name}: sentences and tables are read without scripts`, async () => {
    const { page } = await opened(browser, fileOf(name), { javaScriptEnabled: false });
    assert.ok((await page.locator('header p').first().textContent()).length > 40);
    assert.ok(await page.locator('tbody tr').count() > 10);
    await page.close();
  });
}

test('torus: the answer stands at the top, with its range', async () => {
  const { page } = await opened(browser, fileOf('torus'));
  const { time_to_target_s: asked } = JSON.parse(execFileSync(process.env.MLSIM_PROGRAM,
    [...CASES.find(([name]) => name === 'torus')[1], '--quiet', '--format', 'json']));
  const [, shown, low, high] = /takes ([\d.]+).s, in nine runs of ten ([\d.]+) \.\. ([\d.]+).s, and costs/.exec(
    await page.locator('.answer').textContent());
  assert.equal(Number(shown), Number(asked.toPrecision(3)));
  assert.ok(Number(low) < asked && asked < Number(high));
  await page.close();
});

for (const name of ['torus', 'plan'].filter((job) => JOBS.includes(job))) {
  test(`${name}: how it scales, its step by size, its timeline and what would save some are drawn`, async () => {
    const { page } = await opened(browser, fileOf(name));
    for (const chart of ['scaling', 'efficiency', 'step', 'memory', 'what-if'])
      assert.equal(await page.locator(`#chart-${chart}`).count(), 1, chart);
    assert.ok(await page.locator('svg rect').count() > 3);
    await page.close();
  });
}

test('bert: at twice the price of one accelerator the same choice costs twice as much', async () => {
  const { page } = await opened(browser, fileOf('bert'));
  const costs = await page.evaluate(() => {
    const candidates = candidatesOf(data.tables.candidates);
    const at = (price) => pricedBy(new Map([[candidates[0].system, { value: () => price }]]))(candidates[0]).cost;
    return [at(4.0), at(8.0), data.tables.candidates.rows[0]];
  });
  assert.ok(Math.abs(costs[1] / costs[0] - 2) < 1e-9);
  await page.close();
});

test('a time whose logarithm is normal ends before its 95th percentile in 95 % of runs', async () => {
  const { page } = await opened(browser, fileOf('bert'));
  const chances = await page.evaluate(() => [50, 100, 200].map((deadline) => probabilityWithin(deadline, 50, 200)));
  [0.05, 0.5, 0.95].forEach((share, i) => assert.ok(Math.abs(chances[i] - share) < 1e-4));
  await page.close();
});

test('what users name their files is text on the page, never markup', async () => {
  const name = path.join(folder, '<img src=x onerror=alert(1)> & "two"</script>.yaml');
  const file = fileOf('escaped');
  fs.mkdirSync(path.dirname(name), { recursive: true });
  fs.copyFileSync(path.join(__dirname, '../../examples/own-machine/workstation.yaml'), name);
  execFileSync(process.env.MLSIM_PROGRAM, ['predict', '--topology', name, '--workload', 'resnet50', '--quiet', '--report',
    file], { stdio: 'pipe' });
  const { page, complaints } = await opened(browser, file);
  assert.deepEqual(complaints, []);
  assert.equal(await page.locator('img').count(), 0);
  assert.ok((await page.locator('pre code').textContent()).includes('<img src=x onerror=alert(1)>'));
  await page.close();
});

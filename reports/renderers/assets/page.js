'use strict';
// Draws the page's charts and sets up its sliders from the data in the file. Needs charts.js and sliders.js.

const data = JSON.parse(document.getElementById('data').textContent);

Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
drawCharts(data);
for (const sliders of data.sliders) addSliders(sliders, data.tables);
// Paper is light whatever the screen is, and the styles say so by then.
for (const query of ['(prefers-color-scheme: dark)', 'print'])
  window.matchMedia(query).addEventListener('change', () => drawCharts(data));
document.documentElement.dataset.drawn = performance.now().toFixed(0);

'use strict';
// Opens reports in headless Chromium, the system's own, and keeps what the browser complains of.
const { chromium } = require('playwright-core');
const { pathToFileURL } = require('node:url');

async function launched() {
  return chromium.launch({ executablePath: process.env.MLSIM_CHROMIUM, args: ['--disable-gpu'] });
}

/** A drawn page; `requests` holds what it asked for beside itself, `complaints` what it said on the console. */
async function opened(browser, file, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  const url = pathToFileURL(file).href;
  const requests = [], complaints = [];
  page.on('request', (request) => { if (request.url() !== url) requests.push(request.url()); });
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) complaints.push(message.text()); });
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(url);
  if (options.javaScriptEnabled !== false)
    await page.waitForFunction(() => document.documentElement.dataset.drawn !== undefined, null, { timeout: 20000 });
  return { page, requests, complaints };
}

module.exports = { launched, opened };

// fetch.js FOLDER: the modules of package-lock.json into FOLDER/node_modules, as `npm ci` would put them there. Debian's npm
// brings three hundred packages along; this needs node and tar alone.
'use strict';
const { execFileSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');

const registry = (process.env.npm_config_registry || 'https://registry.npmjs.org').replace(/\/$/, '');

async function fetchModule(folder, name, { version, integrity }) {
  const address = `${registry}/${name}/-/${path.basename(name)}-${version}.tgz`;
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  const archive = Buffer.from(await response.arrayBuffer());
  const [method, sum] = integrity.split(/-(.*)/s);
  if (createHash(method).update(archive).digest('base64') !== sum) throw new Error(`${address}: not what the lock file names`);
  const target = path.join(folder, 'node_modules', name);
  fs.mkdirSync(target, { recursive: true });
  execFileSync('tar', ['-xzf', '-', '--strip-components=1', '-C', target], { input: archive });
}

async function main(folder) {
  const lock = JSON.parse(fs.readFileSync(path.join(__dirname, 'package-lock.json'), 'utf8'));
  for (const [place, module] of Object.entries(lock.packages))
    if (place) await fetchModule(folder, place.replace('node_modules/', ''), module);
}

main(process.argv[2]).catch((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});

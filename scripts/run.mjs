/**
 * `node scripts/run.mjs FILE.ts [ARGUMENTS]`: runs a script of the project under the Node that it
 * pins. npm puts node_modules/.bin first on the PATH, so this usually is that Node already. If the
 * package `node` could not be installed, it prints a sentence instead of a syntax error.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const pinned = join(root, 'node_modules', 'node', 'bin', 'node')
if (!existsSync(pinned)) {
  console.error(
    'Node 24 is missing from node_modules: run `npm ci`, with install scripts allowed (npm config get ignore-scripts must say false).',
  )
  process.exit(1)
}
const { status } = spawnSync(pinned, process.argv.slice(2), { cwd: root, stdio: 'inherit' })
process.exit(status ?? 1)

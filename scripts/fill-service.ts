import { existsSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { stageService } from './packages/service-package.ts'

/**
 * Runs around `npm pack --workspace countersign`. Before packing, it fills packages/service with
 * the package of the service, whose package.json replaces the one of the checkout; afterwards, with
 * `--empty`, it restores the folder. A run after an interrupted one completes it.
 */
const folder = join(import.meta.dirname, '..', 'packages', 'service')
const manifest = join(folder, 'package.json')
const putAside = join(folder, 'package.json.checkout')
const staying: ReadonlySet<string> = new Set(['.gitignore', 'package.json.checkout'])

const { values } = parseArgs({ options: { empty: { type: 'boolean' } } })
await empty()
if (values.empty !== true) {
  await rename(manifest, putAside)
  await stageService(folder)
}

async function empty(): Promise<void> {
  if (!existsSync(putAside)) return
  for (const name of await readdir(folder)) {
    if (!staying.has(name)) await rm(join(folder, name), { recursive: true })
  }
  await rename(putAside, manifest)
}

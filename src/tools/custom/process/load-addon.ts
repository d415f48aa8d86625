import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { dependenciesIn } from '../modules/reachable-packages.ts'
import type { RecordedModules } from './recorded-modules.ts'

const library = /\.(node|so(\.[\w.]+)?|dylib|dll)$/

/**
 * Native addons are opened from a copy of the checked bytes, in a folder of this process, because
 * the system opens them by name. The libraries of their package, and of its dependencies next to
 * it, are checked and copied to the same relative places. `modules` returns `null` for a file that
 * is opened in place.
 */
export function replaceAddonLoading(modules: (file: string) => RecordedModules | null): void {
  const open = process.dlopen.bind(process)
  process.dlopen = (module: object, filename: string, flags?: number): void => {
    const at = path.resolve(filename)
    const recorded = modules(at)
    if (recorded === null) return openWith(open, module, at, flags)
    const folder = mkdtempSync(path.join(tmpdir(), 'countersign-addon-'))
    try {
      copyTo(folder, recorded, at)
      openWith(open, module, path.join(folder, at), flags)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

function openWith(
  open: typeof process.dlopen,
  module: object,
  at: string,
  flags: number | undefined,
): void {
  if (flags === undefined) open(module, at)
  else open(module, at, flags)
}

function copyTo(folder: string, recorded: RecordedModules, addon: string): void {
  const put = (at: string): void => {
    const copy = path.join(folder, at)
    mkdirSync(path.dirname(copy), { recursive: true })
    writeFileSync(copy, recorded.bytesOf(at), { mode: 0o700 })
  }
  put(addon)
  const within = recorded.packageOf(addon)
  if (within === null) return
  const text = recorded.bytesOf(path.join(within, 'package.json')).toString('utf8')
  const { root, name } = placeOf(within)
  for (const packageName of [name, ...dependenciesIn(text)]) {
    const inside = recorded.packageOf(path.join(root, packageName, 'package.json'))
    if (inside === null) continue
    for (const entry of readdirSync(inside, { recursive: true, withFileTypes: true })) {
      const at = path.join(entry.parentPath, entry.name)
      if (entry.isFile() && library.test(entry.name) && at !== addon) put(at)
    }
  }
}

/** The folder that contains the packages, and the name of this one in it. */
function placeOf(folder: string): { readonly root: string; readonly name: string } {
  const above = path.dirname(folder)
  const isScoped = path.basename(above).startsWith('@')
  const root = isScoped ? path.dirname(above) : above
  return { root, name: path.relative(root, folder) }
}

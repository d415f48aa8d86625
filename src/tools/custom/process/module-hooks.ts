import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { ToolProcessSetup } from '../tool-protocol.ts'

/** A file that a tool imports is not, or not any more, part of the policy version. */
export class ToolFileChanged extends Error {
  override readonly name = 'ToolFileChanged'
  readonly file: string
  constructor(file: string, message: string) {
    super(message)
    this.file = file
  }
}

const own = /^(countersign|zod|ai)(\/|$)/
const serviceSource = fileURLToPath(new URL('../../../', import.meta.url))

/**
 * From here on, `countersign`, `zod` and `ai` are the service's own copies wherever the project lies, and a file of
 * the project is only ever loaded with the very bytes of the policy version. Packages are not checked: their lock
 * file is the owner's.
 */
export function registerModuleHooks(setup: Pick<ToolProcessSetup, 'projectDir' | 'hashes'>): void {
  registerHooks({
    resolve(specifier, context, next) {
      const asked = context.parentURL ?? ''
      if (!own.test(specifier) || asked.includes('/node_modules/')) return next(specifier, context)
      return next(specifier, { ...context, parentURL: import.meta.url })
    },
    load(url, context, next) {
      if (!url.startsWith('file:')) return next(url, context)
      const file = fileURLToPath(url)
      if (file.startsWith(serviceSource) || file.includes(`${path.sep}node_modules${path.sep}`)) {
        return next(url, context)
      }
      const source = checkedSource(file, setup)
      const format = formatOf(file)
      return format === null ? next(url, context) : { format, source, shortCircuit: true }
    },
  })
}

/** Address of a file of the project, without following links. */
export function projectUrl(projectDir: string, file: string): string {
  return pathToFileURL(path.join(projectDir, file)).href
}

function checkedSource(
  file: string,
  setup: Pick<ToolProcessSetup, 'projectDir' | 'hashes'>,
): Buffer {
  const relative = path.relative(setup.projectDir, file).split(path.sep).join('/')
  const expected = Object.hasOwn(setup.hashes, relative) ? setup.hashes[relative] : undefined
  if (expected === undefined) {
    throw new ToolFileChanged(
      relative,
      `${relative} is not part of the policy version: what tools import lies below tools/, in regular files`,
    )
  }
  const source = readFileSync(file)
  const found = `sha256:${createHash('sha256').update(source).digest('hex')}`
  if (found !== expected) throw new ToolFileChanged(relative, changedSentence(relative))
  return source
}

/** The sentence a call is refused with when a file differs from the version's (architecture.md, execution). */
export function changedSentence(file: string): string {
  return `${file} on this host is not the one of the policy version in force`
}

function formatOf(file: string): string | null {
  if (/\.m?ts$/.test(file)) return 'module-typescript'
  return /\.m?js$/.test(file) ? 'module' : null
}

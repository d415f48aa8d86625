import { errorCode } from '#domain/error-code.ts'
import { parseObject } from '#domain/json/parse-json.ts'
import path from 'node:path'
import { hashBytes, hashJson } from '#domain/json/digest.ts'
import { readRegularFileSync } from '#sandbox/read-regular-file.ts'

/** The package.json that decides how the project's own tool files resolve names. */
export interface PackageScope {
  /** absolute */
  readonly file: string
  /** hash of the keys that decide; of the bytes when they are not JSON */
  readonly hash: string
  readonly text: string
}

/** Other keys may change without a tool loading anything else: scripts, versions, dependencies. */
const deciding = ['name', 'type', 'main', 'exports', 'imports'] as const

/** The nearest package.json at or above a folder; `null` when there is none. */
export function packageScopeOf(folder: string): PackageScope | null {
  for (let at = folder; ; at = path.dirname(at)) {
    const file = path.join(at, 'package.json')
    const text = textOf(file)
    if (text !== null) return { file, hash: decidingHash(text), text }
    if (path.dirname(at) === at) return null
  }
}

function decidingHash(text: string): string {
  const manifest = parseObject(text.replace(/^\uFEFF/, ''))
  if (manifest === null) return hashBytes(text)
  // The order of conditions matters too, so the text is hashed, not its canonical form.
  return hashJson(deciding.map((key) => JSON.stringify(manifest[key] ?? null)))
}

function textOf(file: string): string | null {
  try {
    const bytes = readRegularFileSync(file)
    if (bytes === null) throw new Error(`${file} is not a regular file`)
    return bytes.toString('utf8')
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
}

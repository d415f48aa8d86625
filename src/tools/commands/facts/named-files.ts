import path from 'node:path'
import type { Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { decidingZones } from '#policy/globs/zones-of-path.ts'
import type { Zone } from '#policy/worker-definition.ts'
import { looksLikeCode, mayRun, onlyReads, type FileRole } from './file-role.ts'
import type { NamedWords } from './named-words.ts'

/** A regular file of a zone that a command names. */
export interface NamedFile {
  /** relative to the workspace root */
  readonly path: string
  readonly bytes: number
  readonly hash: string
}

/** Size, hash and beginning (`head`) of a file at one moment. */
export interface InspectedFile {
  readonly bytes: number
  readonly hash: string
  readonly head: Uint8Array
}

/** Inspects the file at a path; `null` when there is no regular file that may be read. */
export type InspectFile = (at: string) => Promise<InspectedFile | null>

export interface NamedFiles {
  readonly files: readonly (NamedFile & { readonly role: FileRole })[]
  /** programs outside of the zones that scripts among them name in their first line */
  readonly interpreters: readonly string[]
}

const headBytes = 512
const maxChained = 5

/**
 * The regular files in zones that the words of a command name, as operands or after a `=`, with
 * their hashes (product.md 14), and the interpreters in their first lines. Links are not followed:
 * their target is another name. `programs`: absolute paths of what it runs.
 */
export async function namedFiles(
  root: string,
  zones: readonly Zone[],
  words: NamedWords,
  programs: readonly string[],
  inspect: InspectFile,
): Promise<NamedFiles> {
  const inspected = new Map<string, InspectedFile | null>()
  const roles = new Map<string, FileRole>()
  const interpreters = new Set<string>()
  const reads = onlyReads(words)

  const look = async (at: string): Promise<InspectedFile | null> => {
    const inspection = inspected.get(at)
    if (inspection !== undefined) return inspection
    const file = decidingZones(zones, at).length === 0 ? null : await inspect(at)
    inspected.set(at, file)
    return file
  }
  const run = async (at: string, file: InspectedFile, depth: number): Promise<void> => {
    if (roles.get(at) === 'runs') return
    roles.set(at, 'runs')
    const { operands, programs: named } = firstLine(file.head)
    for (const [index, name] of named.entries()) {
      // `env` searches the PATH for a name without a slash; the kernel does not.
      const isFound = (index === 0 || name.includes('/')) && (await runEach(name, depth))
      if (!isFound) interpreters.add(name)
    }
    for (const operand of operands) await runEach(operand, depth)
  }
  // Relative names count from the folder in which the command runs, wherever the script is.
  const runEach = async (name: string, depth: number): Promise<boolean> => {
    let isFound = false
    for (const at of placesOf(root, words.folders, [name])) {
      const file = depth >= maxChained ? null : await look(at)
      if (file === null) continue
      isFound = true
      await run(at, file, depth + 1)
    }
    return isFound
  }

  for (const at of programs) {
    const inside = placeOf(root, '', at)
    const file = inside === null ? null : await look(inside)
    if (inside !== null && file !== null) await run(inside, file, 0)
  }
  for (const command of words.commands) {
    for (const [index, texts] of command.entries()) {
      for (const at of placesOf(root, words.folders, texts)) {
        const file = await look(at)
        if (file === null) continue
        if (mayRun(command, index, looksLikeCode(at, file.head))) await run(at, file, 0)
        else if (!roles.has(at)) roles.set(at, reads ? 'reads' : 'uses')
      }
    }
  }
  const files = [...roles].flatMap(([at, role]) => {
    const file = inspected.get(at) ?? null
    return file === null ? [] : [{ path: at, bytes: file.bytes, hash: file.hash, role }]
  })
  return { files, interpreters: [...interpreters] }
}

/** Reads hash and beginning of files for a presentation; it stores nothing. */
export function inspectInWorkspace(workspace: Workspace): InspectFile {
  return async (at) => {
    try {
      const state = await workspace.state(at, { hash: true })
      if (state.kind !== 'file' || state.hash === undefined) return null
      const head = await workspace.read(at, { maxBytes: headBytes, start: 0 })
      return { bytes: state.bytes, hash: state.hash, head }
    } catch (error) {
      if (error instanceof WorkspaceProblem) return null
      throw error
    }
  }
}

function placesOf(
  root: string,
  folders: readonly string[],
  texts: readonly string[],
): ReadonlySet<string> {
  const names = texts.flatMap((text) => [text, text.slice(text.indexOf('=') + 1)])
  const places = names.flatMap((name) => folders.map((folder) => placeOf(root, folder, name)))
  return new Set(places.filter((at) => at !== null))
}

/** The path of a word below the workspace root, or `null`. */
function placeOf(root: string, folder: string, text: string): string | null {
  if (text === '' || text.startsWith('-') || text.includes('\0')) return null
  const from = path.isAbsolute(folder) ? folder : path.join(root, folder)
  const at = path.relative(root, path.resolve(from, text))
  return at === '' || at === '..' || at.startsWith('../') ? null : at
}

interface FirstLine {
  /** the interpreter, and what `env` runs */
  readonly programs: readonly string[]
  /** what the interpreter is given before the script: perhaps a file that it runs instead */
  readonly operands: readonly string[]
}

/** The first line of a script (`#!/usr/bin/env -S node --flag file`). Empty for other files. */
function firstLine(head: Uint8Array): FirstLine {
  const [line = ''] = Buffer.from(head).toString('utf8').split('\n', 1)
  const [interpreter = '', ...rest] = line.startsWith('#!') ? line.slice(2).trim().split(/\s+/) : []
  if (interpreter === '') return { programs: [], operands: [] }
  const isEnv = /(?:^|\/)env$/.test(interpreter)
  const behind = isEnv ? rest.findIndex((word) => !word.startsWith('-') && !word.includes('=')) : -1
  const programs = behind < 0 ? [interpreter] : [interpreter, rest[behind] ?? '']
  // Only `env -S` splits them: the kernel passes the rest of the line as one word.
  return { programs, operands: [...rest.slice(behind + 1), rest.join(' ')] }
}

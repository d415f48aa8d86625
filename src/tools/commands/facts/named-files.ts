import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { binarySize } from '#domain/text/quantities/binary-size.ts'
import { ToolProblem } from '#domain/tools/tool-problem.ts'
import type { Workspace } from '#domain/tools/workspace.ts'
import { WorkspaceProblem } from '#domain/tools/workspace-problem.ts'
import { containsPath, decidingZones } from '#policy/globs/zones-of-path.ts'
import type { Zone } from '#policy/worker-definition.ts'
import { maxHashedBytes } from '#sandbox/open-file.ts'
import { realPathOf } from '#sandbox/real-path.ts'
import { looksLikeCode, mayRunIn, onlyReads, type FileRole } from './file-role.ts'
import { otherNames, unnamedFiles } from './implied-names.ts'
import { maxPlaces, tooMany, type NamedWords } from './named-words.ts'
import { placeOf, placesFrom } from './places-of-names.ts'

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
 * The regular files in zones that the words of a command name or imply (implied-names.ts), with
 * their hashes (product.md 14), and the interpreters in their first lines. For a link, or a path
 * through one, it is the file to which it leads, under its own path. `programs`: absolute paths of
 * what it runs. Rejects with `ToolProblem` for a command that may name too many.
 */
export async function namedFiles(
  root: string,
  zones: readonly Zone[],
  words: NamedWords,
  programs: readonly string[],
  inspect: InspectFile,
): Promise<NamedFiles> {
  const realRoot = await realPathOf(root)
  const placesOf = placesFrom({ root, realRoot }, words.folders)
  const look = filesAt(realRoot, zones, inspect)
  const used = new Map<string, NamedFile & { readonly role: FileRole }>()
  const interpreters = new Set<string>()
  const reads = onlyReads(words)
  const depth = Math.max(...words.folders.map((folder) => folder.split('/').length))

  const use = ({ at, file: { bytes, hash } }: FileAt, role: FileRole): void => {
    if (!used.has(at) || role === 'runs') used.set(at, { path: at, bytes, hash, role })
  }
  const run = async (target: FileAt, depth: number): Promise<void> => {
    if (used.get(target.at)?.role === 'runs') return
    use(target, 'runs')
    const { operands, programs: named } = firstLine(target.file.head)
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
    for (const at of await placesOf([name])) {
      const target = depth >= maxChained ? null : await look(at)
      if (target === null) continue
      isFound = true
      await run(target, depth + 1)
    }
    return isFound
  }

  for (const at of programs) {
    const inside = placeOf(root, '', at)
    const target = inside === null ? null : await look(inside)
    if (target !== null) await run(target, 0)
  }
  for (const command of words.commands) {
    for (const at of await placesOf(unnamedFiles(command, depth))) {
      const target = await look(at)
      if (target !== null) use(target, 'uses')
    }
    const others = otherNames(command)
    const mayRun = mayRunIn(command)
    for (const [index, texts] of command.entries()) {
      for (const at of await placesOf([...texts, ...(others[index] ?? [])])) {
        const target = await look(at)
        if (target === null) continue
        const { head } = target.file
        const isCode = looksLikeCode(at, head) || looksLikeCode(target.at, head)
        if (mayRun(index, isCode)) await run(target, 0)
        else use(target, reads ? 'reads' : 'uses')
      }
    }
  }
  return { files: [...used.values()], interpreters: [...interpreters] }
}

/**
 * The file at a place, or where a link at it leads, inspected once. Rejects with `ToolProblem` for
 * more places than a command may name.
 */
function filesAt(
  realRoot: string | null,
  zones: readonly Zone[],
  inspect: InspectFile,
): (at: string) => Promise<FileAt | null> {
  const files = new Map<string, InspectedFile | null>()
  const targets = new Map<string, FileAt | null>()
  const inspectOnce = async (at: string): Promise<InspectedFile | null> => {
    const earlier = files.get(at)
    if (earlier !== undefined) return earlier
    const file = decidingZones(zones, at).length === 0 ? null : await inspect(at)
    files.set(at, file)
    return file
  }
  const find = async (at: string): Promise<FileAt | null> => {
    const file = await inspectOnce(at)
    if (file !== null) return { at, file }
    const end = realRoot === null ? null : await endOfLinks(realRoot, at)
    const linkedFile = end === null ? null : await inspectOnce(end)
    return end === null || linkedFile === null ? null : { at: end, file: linkedFile }
  }
  return async (at) => {
    const earlier = targets.get(at)
    if (earlier !== undefined) return earlier
    if (targets.size >= maxPlaces) throw tooMany()
    const target = await find(at)
    targets.set(at, target)
    return target
  }
}

interface FileAt {
  readonly at: string
  readonly file: InspectedFile
}

/** Where a path below the root leads by links, relative to it; `null`: nowhere else, or outside. */
async function endOfLinks(realRoot: string, at: string): Promise<string | null> {
  const end = await realpath(path.join(realRoot, at)).catch(() => null)
  if (end === null || !containsPath(realRoot, end)) return null
  const below = path.relative(realRoot, end)
  return below === '' || below === at ? null : below
}

/**
 * Reads hash and beginning of the files of one command for a presentation; it stores nothing.
 * Rejects with `ToolProblem` if the files together are too large to be read, and with the reason of
 * `signal` once that is aborted.
 */
export function inspectInWorkspace(workspace: Workspace, signal?: AbortSignal): InspectFile {
  let bytesLeft = maxHashedBytes
  return async (at) => {
    try {
      const { kind, bytes } = await workspace.state(at)
      if (kind !== 'file') return null
      if (bytes > bytesLeft) throw tooLarge(at)
      const state = await workspace.state(at, { hash: true, signal })
      if (state.kind !== 'file' || state.hash === undefined) return null
      bytesLeft -= state.bytes
      const head = await workspace.read(at, { maxBytes: headBytes, start: 0 })
      return { bytes: state.bytes, hash: state.hash, head }
    } catch (error) {
      if (!(error instanceof WorkspaceProblem)) throw error
      if (error.code === 'too_large') throw tooLarge(at)
      return null
    }
  }
}

function tooLarge(at: string): ToolProblem {
  const size = binarySize(maxHashedBytes)
  return new ToolProblem(
    `The command names too much for its approver: ${JSON.stringify(at)} and the files that it names before have more than ${size} together. Name smaller files, or divide the command into several calls.`,
  )
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

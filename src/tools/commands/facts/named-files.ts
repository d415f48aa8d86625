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
import { goesUp, maxPlaces, namesBehindUp, tooMany, type NamedWords } from './named-words.ts'

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
 * How many lookups of names in folders a command may need. One in one folder counts once, once more
 * for every 256 characters, since a place is made of all of them, and ten times for each part
 * behind `..`, since the disk may be asked for it.
 */
const maxLookups = 200_000
const charactersOfLookup = 256
const lookupsOfDisk = 10

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
  const inspected = new Map<string, InspectedFile | null>()
  const roles = new Map<string, FileRole>()
  const interpreters = new Set<string>()
  const reads = onlyReads(words)
  const depth = Math.max(...words.folders.map((folder) => folder.split('/').length))

  const inspectOnce = async (at: string): Promise<InspectedFile | null> => {
    const inspection = inspected.get(at)
    if (inspection !== undefined) return inspection
    const file = decidingZones(zones, at).length === 0 ? null : await inspect(at)
    inspected.set(at, file)
    return file
  }
  const find = async (at: string): Promise<FileAt | null> => {
    const file = await inspectOnce(at)
    if (file !== null) return { at, file }
    const end = realRoot === null ? null : await endOfLinks(realRoot, at)
    const linkedFile = end === null ? null : await inspectOnce(end)
    return end === null || linkedFile === null ? null : { at: end, file: linkedFile }
  }
  const targets = new Map<string, FileAt | null>()
  const look = async (at: string): Promise<FileAt | null> => {
    const earlier = targets.get(at)
    if (earlier !== undefined) return earlier
    if (targets.size >= maxPlaces) throw tooMany()
    const target = await find(at)
    targets.set(at, target)
    return target
  }
  const places = new Map<string, ReadonlySet<string>>()
  let lookupsLeft = maxLookups
  const placesOf = async (names: readonly string[]): Promise<readonly string[]> => {
    for (const name of names) {
      lookupsLeft -= words.folders.length * (1 + name.length / charactersOfLookup)
      if (lookupsLeft < 0) throw tooMany()
      if (places.has(name)) continue
      for (const part of pathsIn(name)) {
        lookupsLeft -= words.folders.length * namesBehindUp(part) * lookupsOfDisk
      }
      if (lookupsLeft < 0) throw tooMany()
      places.set(name, await placesOfWord({ root, realRoot }, words.folders, name))
    }
    return names.flatMap((name) => [...(places.get(name) ?? [])])
  }
  const run = async ({ at, file }: FileAt, depth: number): Promise<void> => {
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
      if (target !== null && !roles.has(target.at)) roles.set(target.at, 'uses')
    }
    const others = otherNames(command)
    const mayRun = mayRunIn(command)
    for (const [index, texts] of command.entries()) {
      const names = [...texts, ...(others[index] ?? [])]
      for (const at of await placesOf(names)) {
        const target = await look(at)
        if (target === null) continue
        const { head } = target.file
        const isCode = looksLikeCode(at, head) || looksLikeCode(target.at, head)
        if (mayRun(index, isCode)) await run(target, 0)
        else if (!roles.has(target.at)) roles.set(target.at, reads ? 'reads' : 'uses')
      }
    }
  }
  const files = [...roles].flatMap(([at, role]) => {
    const file = inspected.get(at) ?? null
    return file === null ? [] : [{ path: at, bytes: file.bytes, hash: file.hash, role }]
  })
  return { files, interpreters: [...interpreters] }
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

/**
 * Where a word may lead from these folders. The kernel resolves `..` after the links before it;
 * some programs, such as node, remove `..` from the text first.
 */
async function placesOfWord(
  { root, realRoot }: { readonly root: string; readonly realRoot: string | null },
  folders: readonly string[],
  text: string,
): Promise<ReadonlySet<string>> {
  const places = new Set<string | null>()
  for (const name of pathsIn(text)) {
    for (const folder of folders) {
      places.add(placeOf(root, folder, name))
      if (realRoot === null || !mayBePath(name) || !goesUp.test(name)) continue
      const end = await realPathOf(
        path.isAbsolute(name) ? name : `${folderAt(root, folder)}/${name}`,
      )
      if (end !== null) places.add(placeOf(realRoot, '', end))
    }
  }
  return new Set([...places].filter((at) => at !== null))
}

/** The parts of a word that may be a path: all of it, what follows a `=`, or letters of options. */
function pathsIn(text: string): ReadonlySet<string> {
  const [, letters = ''] = /^-([A-Za-z]{1,4})/.exec(text) ?? []
  const attached = Array.from(letters, (_, at) => text.slice(at + 2))
  return new Set([text, text.slice(text.indexOf('=') + 1), ...attached])
}

/** The path of a word below the workspace root, or `null`. */
function placeOf(root: string, folder: string, text: string): string | null {
  if (!mayBePath(text)) return null
  const at = path.relative(root, path.resolve(folderAt(root, folder), text))
  return at === '' || at === '..' || at.startsWith('../') ? null : at
}

function mayBePath(text: string): boolean {
  return text !== '' && !text.startsWith('-') && !text.includes('\0')
}

function folderAt(root: string, folder: string): string {
  return path.isAbsolute(folder) ? folder : path.join(root, folder)
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

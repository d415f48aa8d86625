import { pathMembers } from '#domain/hooks/calls-within.ts'
import { patchedFiles, patchTool } from '#domain/hooks/patched-files.ts'
import { oneLine } from '#domain/text/one-line.ts'
import { cueLimits, notExamined, usualCueTexts, type CueSource } from '#domain/policy/cues.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { isBuiltInTool } from '#domain/tools/built-in-tools.ts'
import { isChange, type Access } from '#domain/tools/access.ts'
import { analyseCommand, type CommandAnalysis } from '../shell/analyse-command.ts'
import { commandCues } from './command-cues.ts'
import { inputCues, leavesOf, type Leaf } from './input-cues.ts'
import { pathCues } from './text/path-cues.ts'
import { lineCues, textCues } from './text/text-cues.ts'

/** A call, with facts about its host and its run. */
export interface CuedCall {
  readonly tool: string
  readonly input: JsonObject
  readonly accesses: readonly Access[]
  readonly command: CommandAnalysis | null
  readonly facts: CueFacts
}

/** The facts besides the call from which cues are computed. */
export interface CueFacts {
  /** commands run in a sandbox without network */
  readonly isOffline: boolean
  /** the only domains that the sandbox can reach; `null`: it has no such list */
  readonly domains: readonly string[] | null
  /** the worker has not used the tool before */
  readonly isFirstUse: boolean
  /** who wrote the text that the model read just before, if it was not a person: a phrase */
  readonly outsider: string | null
  /**
   * Whether Git has the file, or everything in the folder; relative to the workspace root. `true`
   * also where there is nothing to lose.
   */
  isTracked(path: string): Promise<boolean>
}

/** Of a longer command in the arguments of another program's tool, the rest is not analysed. */
const maxCommandCharacters = 8192

/**
 * The cues of a call (product.md 38), computed from the bytes that will run and in a fixed order,
 * so that the same call always has the same cues. They raise attention only: nothing is allowed
 * because a cue is absent.
 */
export async function cuesOfCall(call: CuedCall): Promise<readonly CueSource[]> {
  const { command, facts } = call
  const cues = [...(await (command === null ? cuesOfInput(call) : cuesOfCommand(command, facts)))]
  if (facts.outsider !== null) {
    cues.push({ id: 'outsider_text', text: `Follows a text by an outsider: ${facts.outsider}` })
  }
  if (facts.isFirstUse) {
    cues.push({ id: 'first_use', text: usualCueTexts.first_use ?? '' })
  }
  return boundCues(cues)
}

async function cuesOfInput(call: CuedCall): Promise<readonly CueSource[]> {
  const { tool, input, accesses, facts } = call
  const { leaves: written, areAll } = leavesOf(input)
  const leaves = [...written, ...decodedTexts(written)]
  const own = [
    ...(areAll ? [] : [notExamined]),
    ...accesses.filter(isChange).flatMap(({ path }) => pathCues(path)),
    ...(await deletedFile(call)),
    ...writtenText(leaves, accesses),
  ]
  if (isBuiltInTool(tool)) return own
  // The text of a patch is no command.
  const embedded = patchTool.test(tool) ? [] : await embeddedCommands(leaves, facts)
  return [...own, ...inputCues(tool, leaves), ...patchedText(leaves), ...embedded]
}

async function cuesOfCommand(
  command: CommandAnalysis,
  facts: CueFacts,
): Promise<readonly CueSource[]> {
  return commandCues(command, {
    isOffline: facts.isOffline,
    domains: facts.domains,
    isTracked: async (path, cwd) => {
      const relative = pathBelowRoot(cwd, path)
      return relative !== null && facts.isTracked(relative)
    },
  })
}

/** `notes/../a` as `a`; `null` for what does not lie below the root. */
function pathBelowRoot(cwd: string, path: string): string | null {
  if (path.startsWith('/')) return null
  const names: string[] = cwd === '' || cwd === '.' ? [] : cwd.split('/')
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue
    if (name !== '..') names.push(name)
    else if (names.pop() === undefined) return null
  }
  return names.join('/')
}

async function deletedFile({ accesses, tool, facts }: CuedCall): Promise<readonly CueSource[]> {
  const deleted = accesses.filter(({ operation }) => operation === 'delete')
  // A move keeps the bytes.
  if (tool === 'move_file' || accesses.some(({ operation }) => operation === 'write')) return []
  const cues: CueSource[] = []
  for (const { path } of deleted) {
    if (await facts.isTracked(path)) continue
    const text = `Deletes what Git does not have: ${oneLine(path, 160)}`
    cues.push({ id: 'deletes_untracked', text, file: path })
  }
  return cues
}

const textNames = new Set([
  'replace',
  'content',
  'contents',
  'newText',
  'new_text',
  'new_string',
  'newString',
  'text',
  'file_text',
  'insert_text',
  'new_str',
  'replacement',
  'new_source',
  'code_edit',
])
const pathNames = new Set<string>([...pathMembers, 'filename', 'file'])

/** The texts that a call gives in base64 and says so: what is in their bytes is found as well. */
function decodedTexts(leaves: readonly Leaf[]): readonly Leaf[] {
  const isEncoded = leaves.some(
    ({ name, value }) => name === 'encoding' && /^base64$/i.test(String(value)),
  )
  return leaves.flatMap(({ value, ...leaf }) =>
    isEncoded && textNames.has(leaf.name) && typeof value === 'string'
      ? [{ ...leaf, value: Buffer.from(value, 'base64').toString() }]
      : [],
  )
}

/** The texts that a call of any tool writes to a file. */
function writtenText(leaves: readonly Leaf[], accesses: readonly Access[]): readonly CueSource[] {
  const named = leaves.find(({ name, value }) => pathNames.has(name) && typeof value === 'string')
  const path = accesses.find(isChange)?.path ?? (named === undefined ? null : String(named.value))
  if (path === null) return []
  const byName = accesses.length === 0 ? pathCues(path.slice(0, 1024)) : []
  const texts = leaves.flatMap(({ name, value }) =>
    textNames.has(name) && typeof value === 'string' ? textCues(value, path) : [],
  )
  // Reading a file changes nothing: only a call that writes one is judged by its name.
  const writes = accesses.length > 0 || leaves.some(({ name }) => textNames.has(name))
  // Without the number of the line: it counts in this text, and not in the presentation.
  return writes ? [...byName, ...texts.map(({ id, text, says = '' }) => ({ id, text, says }))] : []
}

/** How many files of a call's patches are searched for cues. */
const maxPatchedFiles = 2000

/** The files and the added lines of a patch; `inputCues` finds the secrets in it. */
function patchedText(leaves: readonly Leaf[]): readonly CueSource[] {
  const files = leaves.flatMap(({ value }) =>
    typeof value === 'string' ? patchedFiles(value) : [],
  )
  const cues = files.slice(0, maxPatchedFiles).flatMap(({ isCertainHeader, path, added }) => [
    ...pathCues(path.slice(0, 1024)),
    // Prose files get no line cues. An indented header may be a line of the file before it, so its
    // name exempts nothing: the lines are judged as SQL, which every rule applies to.
    ...lineCues(added.join('\n'), isCertainHeader ? path : '.sql'),
  ])
  return files.length <= maxPatchedFiles ? cues : [notExamined, ...cues]
}

const commandNames = new Set(['command', 'cmd', 'script', 'bash', 'shell_command'])

/** Commands that another program would run: `Bash {command}`. */
async function embeddedCommands(
  leaves: readonly Leaf[],
  facts: CueFacts,
): Promise<readonly CueSource[]> {
  const cues: CueSource[] = []
  for (const { name, value } of leaves) {
    if (!commandNames.has(name) || typeof value !== 'string') continue
    if (value.length > maxCommandCharacters) cues.push(notExamined)
    const script = value.slice(0, maxCommandCharacters)
    const analysis = analyseCommand({ kind: 'shell', script, cwd: '' })
    const allCues = await cuesOfCommand(analysis, { ...facts, isOffline: false, domains: null })
    cues.push(...allCues.map(({ id, text }) => ({ id, text, says: `${JSON.stringify(name)}: ` })))
  }
  return cues
}

/** Removes duplicates, and limits how many cues one id and the whole call have. */
function boundCues(cues: readonly CueSource[]): readonly CueSource[] {
  const ownCues: CueSource[] = []
  // First: whatever else there is, people see that a part was not examined.
  for (const cue of [...cues.filter(isOfRest), ...cues.filter((one) => !isOfRest(one))]) {
    const same = ownCues.filter(({ id }) => id === cue.id)
    if (same.length >= cueLimits.perId || ownCues.length >= cueLimits.perRequest) continue
    if (same.some(({ text, line }) => text === cue.text && line === cue.line)) continue
    ownCues.push({ ...cue, text: oneLine(cue.text, cueLimits.text) })
  }
  return ownCues
}

function isOfRest({ id }: CueSource): boolean {
  return id === notExamined.id
}

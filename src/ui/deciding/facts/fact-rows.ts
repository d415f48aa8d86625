import { valueIn } from '#domain/json/value-in.ts'
import { isJsonObject } from '#domain/json/is-object.ts'
import type { Json } from '#domain/json/json.ts'
import { readableName } from '#domain/text/readable-name.ts'
import { fieldTitlesName } from '#domain/fields/field-titles.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'

/** One fact: its label and its values. Hashes are shortened. */
export interface FactRow {
  readonly label: string
  readonly values: readonly string[]
  /** an untrusted text, which is shown line by line like the presentation */
  readonly lines?: 'plain' | 'diff'
}

/** The labels of known facts, in the order of the page. */
const labels: Readonly<Record<string, string>> = {
  path: 'File',
  from: 'Moved from',
  to: 'Moved to',
  edits: 'Replacements',
  bases: 'File when shown',
  baseHash: 'File before',
  newHash: 'File after',
  baseBytes: 'Bytes before',
  newBytes: 'Bytes after',
  mediaType: 'Media type',
  added: 'Lines added',
  removed: 'Lines removed',
  cwd: 'Working directory',
  timeoutSeconds: 'Time limit (s)',
  sandbox: 'Sandbox',
  environment: 'Environment names',
  argv: 'Command, word by word',
  commands: 'Commands',
  runsWorkspaceCode: 'Runs other code',
  programs: 'Program',
  profile: 'Sandbox profile',
  callId: 'Call',
  attempt: 'Attempt',
  executor: 'Carried out by',
  startedAt: 'Started',
  assumes: 'Assumes call',
  server: 'MCP server',
  serverTool: 'Name of the tool at the server',
  definition: 'Description of the tool, now',
  pinnedDefinition: 'Description when the version was activated',
  definitionChange: 'Changes by the server',
  serverClaims: 'The server’s own words: its claim, not verified',
  reportedBy: 'Reported by the program, on',
  originHash: 'Hash of where it says that it works',
  claimHash: "Hash of the program's own words",
  toolHash: "Tool's definition",
}

/** Facts of a file that only the requesting program has read. */
const ofFileBefore: ReadonlySet<string> = new Set(['path', 'baseHash', 'baseBytes'])

/** Facts with untrusted text: no part of them may be hidden by scrolling without notice. */
const linesOf: Readonly<Record<string, 'plain' | 'diff'>> = {
  definitionChange: 'diff',
  serverClaims: 'plain',
}

/** All facts that the decision is bound to, beside the digest of the call. Pure. */
export function factRows(request: Pick<RequestDetail, 'facts' | 'presentation'>): FactRow[] {
  const { detail = {}, ...facts } = request.facts
  const all: Record<string, Json> = {
    ...membersOf(detail),
    ...request.presentation.metadata,
    ...facts,
  }
  // The fields themselves have their titles.
  delete all[fieldTitlesName]
  // The hash of a single file is shown once, with its path.
  if (Object.hasOwn(all, 'bases') && basesOf(all['bases'] ?? null).length > 0) {
    delete all['baseHash']
    delete all['files']
  }
  const names = Object.keys(labels).filter((name) => Object.hasOwn(all, name))
  const others = Object.keys(all).filter((name) => !Object.hasOwn(labels, name))
  return [...names, ...others].flatMap((name): FactRow[] => {
    const value = all[name] ?? null
    if (name === 'bases') {
      return basesOf(value).map((values) => ({ label: labels['bases'] ?? name, values }))
    }
    if (name === 'programs')
      return programsOf(value).map((values) => ({ label: 'Program', values }))
    if ((name === 'argv' || name === 'commands') && Array.isArray(value)) {
      // Quoted, so that the ends of the words are visible.
      return [{ label: labels[name] ?? name, values: [value.map(quoteWord).join('\n')] }]
    }
    const lines = valueIn(linesOf, name)
    const isReported = Object.hasOwn(all, 'reportedBy') && ofFileBefore.has(name)
    const knownLabel = valueIn(labels, name)
    const label = `${knownLabel ?? readableName(name)}${isReported ? ', as reported' : ''}`
    return [{ label, values: [memberText(value)], ...(lines === undefined ? {} : { lines }) }]
  })
}

/** Each file with its hash at the time of the presentation. */
function basesOf(value: Json): string[][] {
  if (!Array.isArray(value)) return []
  return value.map((base) => {
    const { path, hash, baseHash } = membersOf(base)
    return [path, hash ?? baseHash].flatMap((part) => (part === undefined ? [] : factText(part)))
  })
}

/** Each program: the name in the call, its path, and its hash. */
function programsOf(value: Json): string[][] {
  if (!Array.isArray(value)) return []
  return value.map((program) => {
    const { name, path, hash } = membersOf(program)
    return [`${factText(name ?? '')} is ${factText(path ?? '')}`, factText(hash ?? '')]
  })
}

function yesOrNo(value: boolean): string {
  return value ? 'yes' : 'no'
}

/** A word, or the words of an array, each quoted. */
function quoteWord(value: Json): string {
  return Array.isArray(value) ? value.map(quoteWord).join(' ') : JSON.stringify(value)
}

function membersOf(value: Json): Readonly<Record<string, Json>> {
  return isJsonObject(value) ? value : {}
}

/** A value as text: strings unchanged, lists and objects line by line, other values as JSON. */
function factText(value: Json): string {
  if (value === 'absent') return 'no such file'
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(factText).join('\n')
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return Object.entries(value)
    .map(([name, member]) => `${readableName(name)}: ${memberText(member)}`)
    .join('\n')
}

/** Like `factText`, but an empty list is written as such beside its name. */
function memberText(member: Json): string {
  if (typeof member === 'boolean') return yesOrNo(member)
  return Array.isArray(member) && member.length === 0 ? 'none' : factText(member)
}

import { isObject } from '#domain/json/is-object.ts'
import type { ExternalView } from '#api/schemas/requests/external-request.ts'
import { gitSentence, programSentence, provedSentence } from '#domain/text/origin-words.ts'
import { dim, yellow, red } from './colour.ts'
import { printableLine } from './terminal-text.ts'
import type { AlikeRequest } from '#api/schemas/requests/alike.ts'
import type { NamedFileView } from '#api/schemas/requests/request-parts.ts'
import type { RequestDetail } from '#api/schemas/requests/requests.ts'
import { againSentence, alikeWords } from '#domain/deciding/alike-words.ts'
import { fromNow } from './times.ts'
import { quoteLines } from './quote-lines.ts'

/** The origin that a program reported, and whether it is proved; none if it reported no origin. */
export function originLines(origin: NonNullable<ExternalView>['origin']): string[] {
  if (origin === null) return []
  const proofText = provedSentence(origin)
  return [
    `${dim('as reported')}  ${printableLine(programSentence(origin))}`,
    `${dim('folder')}  ${printableLine(origin.folder)}  ${origin.proved ? dim(proofText) : yellow(proofText)}`,
    ...(origin.git === undefined
      ? []
      : [`${dim('git')}  ${printableLine(gitSentence(origin.git))}`]),
    ...(origin.files ?? []).map(
      ({ path, hash }) =>
        `${dim('file')}  ${printableLine(path)} ${hash === 'absent' ? 'no such file' : hash}`,
    ),
  ]
}

/** How often the same call was carried out before, as a warning. */
export function againLines({ alike, state }: RequestDetail): string[] {
  const againText = state === 'pending' ? againSentence(alike.again) : null
  return againText === null ? [] : [red(`! ${againText}`)]
}

/** The earlier requests that are similar to this one, one on each line. */
export function alikeLines({ alike }: RequestDetail): string[] {
  return [
    ...alike.same.map((one) => line('same call', one)),
    ...alike.similar.map((one) => line('similar', one)),
    ...(alike.hidden === 0 ? [] : [dim(`${alike.hidden} more alike that you may not see`)]),
  ]
}

function line(what: string, one: AlikeRequest): string {
  const title = what === 'similar' ? ` ${printableLine(one.effect)}:` : ''
  const reason = one.reason === null ? '' : `: ${printableLine(one.reason)}`
  return `${dim(what)}  #${one.number}${title} ${printableLine(alikeWords(one))}, ${fromNow(one.at)}${reason}`
}

const notKept: Partial<Record<NamedFileView['kind'], string>> = {
  withheld: ', reading it needs an approval of its own',
  large: ', too large to store',
  changed: ', changed while the request was opened',
}

/** The files that a command names, and which of them this run wrote; no lines for other calls. */
export function namedFileLines({ namedFiles, runId }: RequestDetail): string[] {
  if (namedFiles.length === 0) return []
  return [
    dim('files that it names, as they were when the request was opened'),
    ...namedFiles.flatMap((file) => [
      `  ${printableLine(file.path)}  ${file.bytes} bytes  ${dim(file.hash)}${notKept[file.kind] ?? ''}`,
      ...(file.writtenBy === null
        ? []
        : [yellow(`  ! ${writtenBySentence(file.writtenBy, runId)}`)]),
    ]),
    '',
  ]
}

function writtenBySentence(
  call: NonNullable<NamedFileView['writtenBy']>,
  runId: string | null,
): string {
  const { state, tool, turn, worker } = call
  const by = `${printableLine(tool)}, turn ${turn} of ${printableLine(worker)}`
  if (state === 'waiting') return `would be written by an earlier call of this turn: ${by}`
  const who = call.runId === runId ? 'this run' : 'another run of the same task'
  return state === 'done'
    ? `written by ${who}: ${by} (countersign runs show ${call.runId})`
    : `perhaps written by ${who}, the outcome is not known: ${by} (countersign runs show ${call.runId})`
}

/**
 * For a call of an MCP server: the definition that the server gives of the tool, quoted as its
 * claim, and what changed in it since it was pinned. Empty for other calls. Never cut, because the
 * approval depends on it.
 */
export function serverWords({ presentation }: RequestDetail, columns: number | null): string[] {
  const { serverClaims, definitionChange } = presentation.metadata
  if (!isObject(serverClaims)) return []
  const { description } = serverClaims
  const says = typeof description === 'string' ? description : ''
  const changed =
    typeof definitionChange === 'string'
      ? [
          yellow('what the server has changed since the activation of this version:'),
          ...quoteLines(definitionChange, { columns, diff: true }),
        ]
      : []
  return [
    dim('what the server says about the tool (not verified):'),
    ...quoteLines(says, { columns, diff: false }),
    ...changed,
    '',
  ]
}

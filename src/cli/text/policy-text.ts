import type { PolicyDifference, PolicyState } from '#api/schemas/policy/policy.ts'
import type { PolicyReplay } from '#api/schemas/policy/replay.ts'
import { countWords } from '#domain/text/quantities/count-words.ts'
import { bold, dim, red, yellow } from './colour.ts'
import { table } from './table.ts'
import { printable, printableLine } from './terminal-text.ts'
import { fromNow } from './times.ts'

/** A version's digest, short enough to compare by eye. */
export function shortDigest(digest: string): string {
  return digest.slice(0, 'sha256:'.length + 12)
}

/**
 * A difference for people: settings first, since they say what it means, then the files line by
 * line.
 */
export function differenceText(difference: PolicyDifference): string {
  const { from, to, files, settings, secondPerson } = difference
  if (from === to) return `The folder holds the version in force, ${shortDigest(to)}.`
  const lines = [`${shortDigest(from)} → ${shortDigest(to)}`, '']
  for (const { at, before, after } of settings) {
    lines.push(`${bold(printableLine(at))}: ${valueText(before)} → ${valueText(after)}`)
  }
  if (settings.length === 0) lines.push('No setting differs.')
  if (secondPerson.length > 0) {
    const places = [...new Set(secondPerson.map((one) => one.at))]
    const what = places.map(printableLine).join(', ')
    lines.push(
      '',
      yellow(`A second person has to agree, because this changes who decides: ${what}`),
    )
  }
  for (const { path, change, diff } of files) {
    lines.push('', `${change} ${printableLine(path)}`)
    if (diff !== null) lines.push(printable(diff).trimEnd())
  }
  return lines.join('\n')
}

function valueText(value: string | null): string {
  if (value === null) return dim('absent')
  const line = printableLine(value)
  return line.length > 200 ? `${line.slice(0, 200)}… (${value.length} characters)` : line
}

/**
 * The version in force, the version in the folder and the open proposal, with one or a few lines
 * for each.
 */
export function stateText({ digest, activation, folder, proposal }: PolicyState): string {
  const lines = [`in force  ${digest}`]
  if (activation !== null) {
    const who = activation.people.map((person) => printableLine(person.name)).join(' and ')
    const by = who === '' ? 'the service' : who
    lines.push(
      `          since ${fromNow(activation.activatedAt)}, by ${by}${note(activation.note)}`,
    )
  }
  if (folder !== null) {
    const words = {
      in_force: 'the same',
      changed: folder.digest ?? '',
      invalid: red('not valid'),
      unreadable: yellow('cannot be read now: the service has too many files open'),
    }
    lines.push(`folder    ${words[folder.state]}`)
    for (const { file, line, problem, remedy } of folder.problems) {
      const place = line === null ? file : `${file}:${line}`
      lines.push(`          ${printableLine(`${place}  ${problem}; ${remedy}`)}`)
    }
  }
  if (proposal !== null) {
    lines.push(
      `waits     ${proposal.digest}`,
      `          proposed by ${printableLine(proposal.proposedBy.name)} ${fromNow(proposal.proposedAt)}, ends ${fromNow(proposal.expiresAt)}${note(proposal.note)}`,
    )
    if (!proposal.isCurrent) {
      lines.push('          the folder or the version in force has changed since: propose it again')
    }
  }
  return lines.join('\n')
}

/**
 * Which calls would be judged otherwise, what was assumed of the files, and which calls nobody can
 * judge now.
 */
export function replayText(replayed: Omit<PolicyReplay, 'nextCursor'>): string {
  const { digest, judged: judgedCount, items, notJudged } = replayed
  const summary = `${countWords(judgedCount, 'call')} judged under ${shortDigest(digest)}; ${items.length} would differ.`
  const unknown = notJudgedText(notJudged)
  if (items.length === 0) return [summary, ...unknown].join('\n')
  const rows = items.map(({ runId, worker, tool, recorded, before, after }) => [
    runId,
    worker,
    tool,
    before?.asks ?? before?.verdict ?? `${recorded} (as recorded)`,
    after.asks ?? after.verdict,
    after.reason,
  ])
  return [
    table(['run', 'worker', 'tool', 'was', 'would be', 'why'], rows, ''),
    '',
    summary,
    ...unknown,
    dim(
      'Both versions are judged against the present files. Files that a call read or removed are assumed to exist. Modes and grants do not count.',
    ),
  ].join('\n')
}

function notJudgedText(notJudged: PolicyReplay['notJudged']): readonly string[] {
  if (notJudged.length === 0) return []
  const rows = notJudged.map(({ runId, worker, tool, why }) => [runId, worker, tool, why])
  return [
    '',
    yellow(
      `${countWords(notJudged.length, 'call')} cannot be judged before the version is in force:`,
    ),
    table(['run', 'worker', 'tool', 'why'], rows, ''),
  ]
}

function note(text: string | null): string {
  return text === null ? '' : `, ${printableLine(text)}`
}

import { oneLine } from '#domain/text/one-line.ts'
import { wordSet } from '#domain/text/word-set.ts'
import { alarmingCommands } from '#policy/cues/alarming-commands.ts'
import { commandsOf } from '#policy/cues/programs/commands-of.ts'
import type { CommandAnalysis } from '#policy/shell/analyse-command.ts'

/** Commands that only prepare others, and are left out unless they are part of a pipeline. */
const preparing = wordSet(`
  cd set export echo printf true : pwd source . pushd popd unset local declare umask shopt trap
  sleep`)

const maxCharacters = 130
/** pipelines of a headline, and commands of one pipeline in it */
const maxPipelines = 2
const maxStages = 6

type Node = NonNullable<CommandAnalysis['search']['commands'][number]['node']>

/** The part of a script that its headline shows, and the number of commands that it leaves out. */
export interface ScriptHeadline {
  readonly text: string
  readonly more: number
}

/**
 * The pipelines with the first alarming commands; without any, the pipeline with the first command
 * that does more than prepare. Every command of a pipeline is shown, each cut by itself, because a
 * `| bash` behind a long address decides what the pipeline does. `null`: the script has no command.
 */
export function headlineOf(script: string, analysis: CommandAnalysis): ScriptHeadline | null {
  const nodes = analysis.search.commands
    .flatMap(({ node }) => (node === null ? [] : [node]))
    .toSorted((one, other) => one.pos - other.pos)
  const textOf = (node: Node): string => script.slice(node.pos, node.end)
  const pipelines = pipelinesOf(script, nodes)
  const alarming = alarmingNodes(analysis, nodes, textOf)
  const first =
    nodes.find(({ name }) => name !== undefined && !preparing.has(name.value)) ?? nodes[0]
  if (first === undefined) return null
  const rankOf = (node: Node): number =>
    alarming.get(node) ?? (alarming.size === 0 && node === first ? 0 : Infinity)
  const choice = pipelines
    .map((pipeline) => ({ pipeline, rank: Math.min(...pipeline.map(rankOf)) }))
    .filter(({ rank }) => rank !== Infinity)
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, maxPipelines)
    .map(({ pipeline }) => pipeline)
    .toSorted(([one], [other]) => (one?.pos ?? 0) - (other?.pos ?? 0))
  const room = Math.floor(maxCharacters / choice.length)
  const cuts = choice.map((pipeline) => stagesOf(pipeline, alarming))
  const texts = cuts.map((stages) => textWithPipes(stages.map(textOf), room))
  const isInside = (node: Node): boolean =>
    cuts.flat().some(({ pos, end }) => node.pos >= pos && node.pos < end)
  const pieces = texts.map((text, index) => {
    const [before, next] = [cuts[index - 1]?.at(-1), cuts[index]?.[0]]
    if (before === undefined || next === undefined) return text
    return `${operatorBetween(script, nodes, before.end, next.pos)}${text}`
  })
  return { text: pieces.join(''), more: nodes.filter((node) => !isInside(node)).length }
}

/**
 * What stands between two pipelines of a script: their operator, which decides whether the second
 * one runs; an ellipsis where commands with other operators are left out between them, or where it
 * is not certain what is a comment.
 */
function operatorBetween(script: string, nodes: readonly Node[], from: number, to: number): string {
  let at = from
  let between = ''
  for (const { pos, end } of nodes) {
    if (pos < at || pos > to) continue
    between += script.slice(at, pos)
    at = end
  }
  const text = withoutComments(between)
  // Behind a quote or a bracket, `#` may be a character of a word: `"$(id) # " && rm`.
  if (between.includes('#') && /['"`$\\)]/.test(text)) return ' … '
  const matches = text.match(/(?:&&|\|\||&)\s*|[;\n]/g) ?? []
  const operators = new Set(matches.map((match) => (match === '\n' ? ';' : match.trim())))
  const [operator = ';'] = operators
  if (operators.size > 1) return ' … '
  return operator === ';' ? '; ' : ` ${operator} `
}

/**
 * What stands between commands, without what looks like an operator or hides one: comments, ends of
 * lines that continue, and `2>&1`.
 */
function withoutComments(between: string): string {
  return between
    .replaceAll(/(^|[\s;&|()])#[^\n]*/g, '$1')
    .replaceAll('\\\n', '')
    .replaceAll(/\d?[<>]&[\d-]/g, '')
}

/** The commands of a script by the pipes between them, in the order of the text. */
function pipelinesOf(script: string, nodes: readonly Node[]): readonly (readonly Node[])[] {
  const rest = new Set(nodes)
  return nodes.flatMap((start) => {
    if (!rest.delete(start)) return []
    const pipeline = [start]
    let last = start
    for (const next of nodes) {
      if (next.pos < last.end || !rest.has(next)) continue
      const between = withoutComments(script.slice(last.end, next.pos))
      if (!/^[\s)}]*\|(?!\|)/.test(between)) break
      rest.delete(next)
      pipeline.push(next)
      last = next
    }
    return [pipeline]
  })
}

/** Alarming commands, each with its place in the order of what is shown first. */
function alarmingNodes(
  analysis: CommandAnalysis,
  nodes: readonly Node[],
  textOf: (node: Node) => string,
): ReadonlyMap<Node, number> {
  const alarms = alarmingCommands(commandsOf(analysis).commands)
  const ranks = new Map<Node, number>()
  for (const node of nodes) {
    const text = textOf(node)
    const words = text.toLowerCase().split(/[^\w.-]+/)
    // A command in a text that another command runs has no source of its own.
    const rank = alarms.findIndex(({ source, program }) =>
      source === '' ? words.includes(program) : text === source,
    )
    if (rank >= 0) ranks.set(node, rank)
  }
  return ranks
}

/** The commands of a pipeline that are shown: of a long one its ends and what is alarming. */
function stagesOf(pipeline: readonly Node[], alarming: ReadonlyMap<Node, number>): readonly Node[] {
  if (pipeline.length <= maxStages) return pipeline
  const ends = new Set([pipeline[0], pipeline[1], pipeline.at(-1)])
  const middle = pipeline.filter((node) => alarming.has(node) && !ends.has(node))
  const members = new Set([...ends, ...middle.slice(0, maxStages - ends.size)])
  return pipeline.filter((node) => members.has(node))
}

/** Texts with pipes between them; long ones share the room that short ones leave. */
function textWithPipes(texts: readonly string[], room: number): string {
  const whole = texts.map((text) => oneLine(text, room))
  let roomLeft = room - 3 * (texts.length - 1)
  const limits = new Map<number, number>()
  const byLength = whole.map((text, at) => ({ at, length: Array.from(text).length }))
  byLength.sort((one, other) => one.length - other.length)
  for (const [index, { at, length }] of byLength.entries()) {
    const limit = Math.min(length, Math.max(Math.floor(roomLeft / (byLength.length - index)), 8))
    limits.set(at, limit)
    roomLeft -= limit
  }
  return whole.map((text, at) => oneLine(text, limits.get(at) ?? room)).join(' | ')
}

import { visibleText } from '#domain/text/visible-text.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { fieldsOf } from '../calls/input-fields.ts'
import { fieldTexts, type InputValues } from '../calls/tool-input.ts'
import type { TaskTexts } from './task-texts.ts'

/** What an address fills into a new run's form. It starts nothing and sets no mode. */
export interface StartLink {
  readonly worker: string | null
  readonly task: string | null
  /** the texts of the worker's input form, by field; a repeated name is one text on each line */
  readonly values: InputValues
  /** the whole query */
  readonly query: string
}

const prefix = 'input.'

/**
 * Reads `?worker=…&task=…`, and `input.FIELD=…` for a worker with an `input` schema. Pure.
 *
 * @example
 * readLink(new URLSearchParams('worker=notes&input.owner.name=Ada'))
 */
export function readLink(search: URLSearchParams): StartLink {
  const texts = new Map<string, string>()
  for (const [key, value] of search) {
    if (!key.startsWith(prefix)) continue
    const name = key.slice(prefix.length)
    const before = texts.get(name)
    texts.set(name, before === undefined ? lineFeeds(value) : `${before}\n${lineFeeds(value)}`)
  }
  const task = search.get('task')
  return {
    worker: search.get('worker'),
    task: task === null ? null : lineFeeds(task),
    values: Object.fromEntries(texts),
    query: search.toString(),
  }
}

/** Text fields have line feeds alone. */
function lineFeeds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n')
}

/** The query that fills in a form as it stands, without its files, limits and mode. Pure. */
export function linkOf(
  { task, values }: TaskTexts,
  worker: { readonly name: string; readonly input: JsonObject | null },
): string {
  const query = new URLSearchParams({ worker: worker.name })
  if (worker.input === null) {
    if (task !== '') query.set('task', task)
    return query.toString()
  }
  const texts = fieldTexts(worker.input, values)
  for (const { name } of fieldsOf(worker.input)) {
    const text = texts[name] ?? ''
    if (text !== '') query.set(`${prefix}${name}`, text)
  }
  return query.toString()
}

/** What the link has to do with the form that is open. */
export interface LinkUse {
  /** the titles of the fields that still have what the link filled in */
  readonly titles: readonly string[]
  /** texts among these with characters that a field does not show */
  readonly hiding: readonly string[]
  /** names that the form does not have, or whose text its field cannot take */
  readonly unused: readonly string[]
}

/** Compares a link with a form's draft. `schema`: of the input; null: a text. Pure. */
export function compareLink(link: StartLink, draft: TaskTexts, schema: JsonObject | null): LinkUse {
  const names = Object.keys(link.values)
  if (schema === null) {
    const isTask = link.task !== null && link.task !== '' && link.task === draft.task
    return {
      titles: isTask ? ['Task'] : [],
      hiding: isTask ? [draft.task].filter(hidesCharacters) : [],
      unused: names,
    }
  }
  const fields = fieldsOf(schema)
  const [texts, linkTexts] = [fieldTexts(schema, draft.values), fieldTexts(schema, link.values)]
  const isUsed = (name: string): boolean => linkTexts[name] === link.values[name]
  const own = fields.filter(
    ({ name }) => names.includes(name) && isUsed(name) && texts[name] === linkTexts[name],
  )
  return {
    titles: own.map(({ title }) => title),
    hiding: own.map(({ name }) => texts[name] ?? '').filter(hidesCharacters),
    unused: names.filter((name) => !fields.some((field) => field.name === name && isUsed(name))),
  }
}

function hidesCharacters(text: string): boolean {
  return text.split('\n').some((line) => visibleText(line).some(({ kind }) => kind === 'chip'))
}

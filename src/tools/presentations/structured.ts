import { isJsonObject, isObject } from '#domain/json/is-object.ts'
import { memberOf } from '#domain/json/value-in.ts'
import { oneLine } from '#domain/text/one-line.ts'
import { canonicalJson } from '#domain/json/digest.ts'
import type { Json, JsonObject } from '#domain/json/json.ts'
import type { Presentation } from '#domain/tools/presentation.ts'
import { entryPart, fieldTitlesName, pointerPart } from '#domain/fields/field-titles.ts'
import type { CallPresentation, Tool } from '#domain/tools/tool.ts'
import { errorMessage } from '#domain/error-message.ts'
import { makePresentation } from './make-presentation.ts'
import { textWarnings } from './text-warnings.ts'

/**
 * Arguments or facts as indented JSON; unusual features of them are described after `warnings`.
 * `schema` is that of the arguments, for the titles of their fields; `null`: unknown.
 */
export function presentStructured(
  value: Json,
  metadata: JsonObject,
  warnings: readonly string[],
  schema: JsonObject | null = null,
): Presentation {
  const text = JSON.stringify(value, null, 2)
  const titles = titlesOf(value, schema)
  return makePresentation({
    type: 'structured',
    language: 'json',
    content: `${text}\n`,
    metadata:
      Object.keys(titles).length === 0 ? metadata : { ...metadata, [fieldTitlesName]: titles },
    warnings: [...warnings, ...textWarnings([...text.split('\n'), ...Object.values(titles)])],
  })
}

/** More titles than these take more bytes than they are worth. */
const maxTitles = 200

/** The titles in the schema of the fields that a value has, by their JSON pointers. */
function titlesOf(value: Json, schema: JsonObject | null): Record<string, string> {
  const titles: Record<string, string> = {}
  const add = (member: Json, described: unknown, pointer: string): void => {
    if (Object.keys(titles).length >= maxTitles || !isObject(described)) return
    const title = memberOf(described, 'title')
    if (pointer !== '' && typeof title === 'string' && title.trim() !== '') {
      titles[pointer] = oneLine(title, 60)
    }
    if (Array.isArray(member)) {
      const items = memberOf(described, 'items')
      for (const entry of member) add(entry, items, `${pointer}/${entryPart}`)
    } else if (isJsonObject(member)) {
      const properties = memberOf(described, 'properties')
      for (const [name, inner] of Object.entries(member)) {
        add(inner, memberOf(properties, name), `${pointer}/${pointerPart(name)}`)
      }
    }
  }
  add(value, schema, '')
  return titles
}

/**
 * The raw arguments with a warning: for a call whose presentation could not be built (product.md
 * 27). `error` is the cause.
 */
export function presentRaw(
  tool: Pick<Tool, 'name' | 'definitionHash'>,
  input: JsonObject,
  error: unknown,
): CallPresentation {
  const why = errorMessage(error)
  return {
    title: titleOfCall(tool.name, input),
    presentation: presentStructured(input, {}, [
      `This presentation could not be built (${why.slice(0, 500)}); the raw arguments are shown.`,
    ]),
    facts: { toolHash: tool.definitionHash, bases: [] },
    content: Buffer.from(canonicalJson(input)),
    contentType: 'text/plain',
  }
}

/** One line for a call without a title of its own. */
export function titleOfCall(tool: string, input: JsonObject): string {
  return titleLine(`${tool} ${JSON.stringify(input)}`)
}

/** A title: one line, at most 200 characters, the cut marked. */
export function titleLine(text: string): string {
  return oneLine(text, 200)
}

import { cueIds } from '#domain/policy/cues.ts'
import { risks } from '#domain/policy/verdict.ts'
import { builtInToolNames, isBuiltInTool } from '#domain/tools/built-in-tools.ts'
import type { When } from '../../routing.ts'
import {
  checkGlob,
  readChoice,
  readOneOrMany,
  readReference,
  readText,
  type Names,
} from '../../reading/values.ts'
import { closestWord } from '../../reading/did-you-mean.ts'
import { canonicalRelative } from '../../reading/relative-path.ts'
import { warn, readFields, wrong, type Fields, type YamlField } from '../../reading/yaml-field.ts'
import type { overlayWhen, when } from '../../schema/config-file.ts'
import { keysOf } from '../../schema/parts.ts'

/** Reads a `when` with the keys of `schema`: values or lists, all of which must match. */
export function readWhen(
  owner: Fields,
  names: Names,
  schema: typeof when | typeof overlayWhen,
): When | null {
  const field = owner.getNeeded('when', 'say when it applies; `when: {}` is always')
  if (field === null) return null
  const fields = readFields(field, keysOf(schema))
  if (fields === null) return null
  const many = <T>(key: string, read: (item: YamlField) => T | null): T[] | null =>
    fields.read(key, (at) => readOneOrMany(at, read), null)
  return {
    tool: many('tool', readToolPattern),
    path: many('path', readPathGlob),
    worker: many('worker', (item) => readReference(item, 'worker', names.workers)),
    queue: many('queue', (item) => readReference(item, 'queue', names.queues)),
    command: many('command', readPattern),
    risk: many('risk', (item) => readChoice(item, risks)),
    cue: many('cue', (item) => readChoice(item, cueIds)),
  }
}

/** A tool's name or a glob. Custom tools are not known here: a near miss only warns. */
function readToolPattern(field: YamlField): string | null {
  const name = readText(field)
  if (name === null || isBuiltInTool(name)) return name
  if (!checkGlob(field, name)) return null
  if (/[*?[{]/.test(name)) return name
  const near = closestWord(name, builtInToolNames)
  if (near !== null) warn(field, `names the tool "${name}"`, `did you mean "${near}"?`)
  return name
}

/** A shell pattern; one that can match no plain command gets a warning. */
function readPattern(field: YamlField): string | null {
  const pattern = readText(field)
  const why = pattern === null ? null : oddPattern(pattern.trim().split(/\s+/))
  if (why !== null)
    warn(field, `never matches a plain command: ${why}`, 'write words like "git push"')
  return pattern
}

/** A glob relative to the workspace root, in canonical form. */
function readPathGlob(field: YamlField): string | null {
  const text = readText(field)
  if (text === null) return null
  const glob = canonicalRelative(text)
  if (glob === null) {
    wrong(
      field,
      `is ${JSON.stringify(text)}`,
      'write a pattern relative to the workspace root, like "infra/**"',
    )
    return null
  }
  if (glob === '') {
    wrong(field, 'is the workspace root', 'write "**" for everything, or leave "path" out')
    return null
  }
  if (!checkGlob(field, glob)) return null
  if (/\/\.?$/.test(text)) {
    warn(field, `matches "${glob}" alone`, `write "${glob}/**" for what lies in it`)
  }
  if (hasOpenBracket(glob)) {
    warn(field, 'has a bracket that is not closed, and is compared letter by letter', 'close it')
  }
  return glob
}

/** Brackets of a glob come in pairs; a single one is a plain character. */
function hasOpenBracket(glob: string): boolean {
  const plain = glob.replaceAll(/\\./g, '')
  return ['[]', '{}', '()'].some(
    ([open = '', close = '']) => plain.split(open).length !== plain.split(close).length,
  )
}

/** Why a pattern cannot be the words of a plain command, as a sentence; `null`: it can. */
export function oddPattern(words: readonly string[]): string | null {
  const [first = ''] = words
  if (/^[A-Za-z_]\w*\+?=/.test(first)) return `${first} is an assignment, which is no program`
  return words.map(oddWord).find((why) => why !== null) ?? null
}

function oddWord(word: string): string | null {
  if (/^(\||\|\||&|&&|;|>|>>|<|<<)$/.test(word)) return `${word} stands between commands`
  if (/[;|&]$/.test(word)) return `${word.at(-1)} ends the command in ${word}`
  if (/^\d*[<>]/.test(word)) return `${word} is a redirect, which is no argument`
  if (/^["']|["']$/.test(word)) return `${word} is compared with its quotes`
  if (/[*?]/.test(word)) return `${word} is compared letter by letter: patterns have no wildcards`
  if (/^\$|`|\$\(/.test(word)) return `${word} is compared letter by letter: nothing is expanded`
  return null
}

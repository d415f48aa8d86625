import picomatch from 'picomatch'
import type { When } from '../../policy.ts'
import { closestWord } from '../../reading/did-you-mean.ts'
import type { Names } from '../../reading/names.ts'
import { canonicalRelative } from '../../reading/relative-path.ts'
import { odd, readFields, wrong, type Fields, type Spot } from '../../reading/spot.ts'
import { readChoice, readOneOrMany, readReference, readText } from '../../reading/values.ts'
import { builtInToolNames } from '../../worker/built-in-tool-names.ts'
import { oddPattern } from './odd-pattern.ts'
import { when } from '../../schema/config-file.ts'
import { keysOf } from '../../schema/parts.ts'

/** Reads a `when`: each key a value or a list, all that are given must match. */
export function readWhen(owner: Fields, names: Names): When | null {
  const spot = owner.get('when')
  if (spot === null) {
    wrong(owner.spot, 'has no "when"', 'say when it applies; `when: {}` is always')
    return null
  }
  const fields = readFields(spot, keysOf(when))
  if (fields === null) return null
  const many = <T>(key: string, read: (item: Spot) => T | null): T[] | null => {
    const value = fields.get(key)
    return value === null ? null : readOneOrMany(value, read)
  }
  return {
    tool: many('tool', readToolPattern),
    path: many('path', readPathGlob),
    worker: many('worker', (item) => readReference(item, 'worker', names.workers)),
    queue: many('queue', (item) => readReference(item, 'queue', names.queues)),
    command: many('command', readPattern),
    risk: many('risk', (item) => readChoice(item, ['low', 'medium', 'high'])),
  }
}

/** A tool's name or a glob of names. Custom tools are not known here, so a near miss is only pointed out. */
function readToolPattern(spot: Spot): string | null {
  const name = readText(spot)
  if (name === null || builtInToolNames.includes(name) || /[*?[{]/.test(name)) return name
  const near = closestWord(name, builtInToolNames)
  if (near !== null) odd(spot, `names the tool "${name}"`, `did you mean "${near}"?`)
  return name
}

/** A shell pattern; what can match no plain command is pointed out. */
function readPattern(spot: Spot): string | null {
  const pattern = readText(spot)
  const why = pattern === null ? null : oddPattern(pattern.trim().split(/\s+/))
  if (why !== null)
    odd(spot, `never matches a plain command: ${why}`, 'write words like "git push"')
  return pattern
}

/** A glob relative to the workspace root, in canonical form. */
function readPathGlob(spot: Spot): string | null {
  const text = readText(spot)
  if (text === null) return null
  const glob = canonicalRelative(text)
  if (glob === null) {
    wrong(
      spot,
      `is ${JSON.stringify(text)}`,
      'write a pattern relative to the workspace root, like "infra/**"',
    )
    return null
  }
  if (glob === '') {
    wrong(spot, 'is the workspace root', 'write "**" for everything, or leave "path" out')
    return null
  }
  if (glob.length > 1000) {
    wrong(spot, 'is over 1,000 characters', 'write a shorter pattern')
    return null
  }
  if (/\/\.?$/.test(text)) {
    odd(spot, `matches "${glob}" alone`, `write "${glob}/**" for what lies in it`)
  }
  if (hasOpenBracket(glob)) {
    odd(spot, 'has a bracket that is not closed, and is compared letter by letter', 'close it')
  }
  try {
    picomatch.makeRe(glob)
    return glob
  } catch (error) {
    wrong(spot, `is not a pattern: ${String(error)}`, 'write a pattern like "infra/**"')
    return null
  }
}

/** Brackets of a glob come in pairs; one alone stands for itself. */
function hasOpenBracket(glob: string): boolean {
  const plain = glob.replaceAll(/\\./g, '')
  return ['[]', '{}', '()'].some(
    ([open = '', close = '']) => plain.split(open).length !== plain.split(close).length,
  )
}

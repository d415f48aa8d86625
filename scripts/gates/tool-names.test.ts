import { glob, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { builtInToolNames } from '#domain/tools/built-in-tools.ts'

/** Files with facts of their own about single tools, which the table does not have. */
const permitted = new Map([
  ['src/domain/hooks/call-of-event.ts', "an agent's call, as the call of ours that does the same"],
  ['src/domain/hooks/calls-within.ts', "the calls of ours that an agent's call includes"],
  ['src/domain/tools/built-in-tools.ts', 'the table'],
  ['src/policy/judge/preview/zone-lines.ts', 'what a zone lets each tool do, in words'],
  ['src/tools/built-in.ts', 'makes each tool of the table'],
  ['src/tools/effects/effect-of.ts', 'the effect of a call, a sentence for each tool'],
  ['src/ui/policy/verdict-probes.ts', 'the calls that a path or a command is tried with'],
])
const sources = '{src,packages}/**/*.{ts,tsx}'
/** A file with this many names has a list of tools. */
const listed = 4

test('the built-in tools are listed in one table: no other file lists four or more of their names', async () => {
  const lists: string[] = []
  for await (const file of glob(sources)) {
    if (/\.test\.|\.fixture\.|node_modules|\/dist\//.test(file)) continue
    const text = await readFile(file, 'utf8')
    const named = builtInToolNames.filter((name) =>
      new RegExp(`['"\`]${name}['"\`]|^\\s*${name}[:,(]`, 'm').test(text),
    )
    if (named.length >= listed) lists.push(file)
  }
  expect(lists.toSorted()).toEqual([...permitted.keys()].toSorted())
})

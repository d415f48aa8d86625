import { expect, test } from 'vitest'
import { participleNames } from './names.ts'

test('a variable or parameter with a participle as its name, or a maximum named `most`, is found wherever it is declared', () => {
  const planted = `const known = new Set()
function f({ asked, of: told }: Call, ...[said]: string[]) {
  for (const [shown] of known) use(shown)
}
type Listener = (heard: string) => void
class Box { constructor(private given: number) {} keep = (kept = 1) => kept }
let refused = 0, signed = 1, most = 2
`
  expect(participleNames('a.ts', planted)).toEqual([
    'a.ts:1: known',
    'a.ts:2: asked',
    'a.ts:2: told',
    'a.ts:2: said',
    'a.ts:3: shown',
    'a.ts:5: heard',
    'a.ts:6: given',
    'a.ts:6: kept',
    'a.ts:7: refused',
    'a.ts:7: signed',
    'a.ts:7: most',
  ])
})

test('a type or function whose name is only a participle is found', () => {
  const planted = `interface Judged { readonly call: JudgedCall }
export type Asking = Pick<Judged, 'call'>
class Held {}
interface Warning {}
type FoundItem = Routing
function opened(): FoundItem {}
function openRow() {}
`
  expect(participleNames('a.ts', planted)).toEqual([
    'a.ts:1: Judged',
    'a.ts:2: Asking',
    'a.ts:3: Held',
    'a.ts:6: opened',
  ])
})

test('a member that has such a name may be read under another, and texts are not names', () => {
  const text = `const { asked: request } = row
const facts = { known: true, told: row.told }
interface Row { readonly shown: boolean; given?: string }
// known and told
const sentence = 'asked and told'
`
  expect(participleNames('a.ts', text)).toEqual([])
})

test('in the dashboard and the harness, a member of a type with a participle as its name is found', () => {
  const text = `interface CardState { readonly opened: boolean; counted: number }
function Card({ shown: lines }: { shown: number }) {}
`
  expect(participleNames('src/ui/card.tsx', text)).toEqual([
    'src/ui/card.tsx:1: opened',
    'src/ui/card.tsx:1: counted',
    'src/ui/card.tsx:2: shown',
  ])
  expect(participleNames('src/store/card.ts', text)).toEqual([])
})

test('a method, and a function in a constant, whose name is only a participle are found', () => {
  const text = `const bounded = (text: string) => text
interface Trace { recorded(entries: string[]): void; readonly committed: () => void; shown: boolean }
class Watch { turned() {} get wedged() { return false } during() {} }
`
  expect(participleNames('src/store/a.ts', text)).toEqual([
    'src/store/a.ts:1: bounded',
    'src/store/a.ts:2: recorded',
    'src/store/a.ts:2: committed',
    'src/store/a.ts:3: turned',
  ])
})

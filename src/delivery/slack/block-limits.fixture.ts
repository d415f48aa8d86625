import type { KnownBlock, ModalView } from '@slack/web-api'

/** What Slack refuses in a part of a block, from its reference of Block Kit. */
const limits: readonly {
  readonly holder: string
  readonly member: string
  readonly max: number
}[] = [
  { holder: 'section', member: 'text', max: 3000 },
  { holder: 'section', member: 'fields', max: 10 },
  { holder: 'context', member: 'elements', max: 10 },
  { holder: 'actions', member: 'elements', max: 25 },
  { holder: 'header', member: 'text', max: 150 },
  { holder: 'button', member: 'text', max: 75 },
  { holder: 'button', member: 'value', max: 2000 },
  { holder: 'button', member: 'url', max: 3000 },
  { holder: 'input', member: 'label', max: 2000 },
  { holder: 'radio_buttons', member: 'options', max: 10 },
  { holder: 'modal', member: 'title', max: 24 },
  { holder: 'modal', member: 'submit', max: 24 },
  { holder: 'modal', member: 'close', max: 24 },
  { holder: 'modal', member: 'private_metadata', max: 3000 },
  { holder: 'modal', member: 'blocks', max: 100 },
  { holder: 'message', member: 'blocks', max: 50 },
]
const maxFieldLength = 2000
const maxOptionLength = 75

type Part = Readonly<Record<string, unknown>>

/** The parts of a message or window that Slack would refuse: too long, too many, or empty. */
export function refusedBySlack(view: ModalView | readonly KnownBlock[]): string[] {
  const root = Array.isArray(view) ? { type: 'message', blocks: view } : view
  return partsOf(root).flatMap(refusedMembers)
}

function refusedMembers(part: Part): string[] {
  const type = String(part['type'])
  const tooMuch = limits
    .filter(({ holder, member, max }) => holder === type && sizeOf(part[member]) > max)
    .map(({ member }) => `${type}.${member}`)
  const fields = listOf(part['fields']).filter((one) => sizeOf(one) > maxFieldLength)
  const options = listOf(part['options']).filter(({ text }) => sizeOf(text) > maxOptionLength)
  const isText = type === 'plain_text' || type === 'text'
  const isRefused = isText && (part['text'] === '' || /\p{Surrogate}/u.test(String(part['text'])))
  return [
    ...tooMuch,
    ...fields.map(() => `${type}.fields`),
    ...options.map(() => `${type}.options`),
    ...(isRefused ? [type] : []),
  ]
}

/** Characters of a text, or entries of a list. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length
  const { text } = (value ?? {}) as Part
  return typeof text === 'string' ? text.length : 0
}

function listOf(value: unknown): Part[] {
  return Array.isArray(value) ? (value as Part[]) : []
}

/** Every object of a message or window. */
export function partsOf(value: unknown): Part[] {
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.values(value).flatMap(partsOf)
  return Array.isArray(value) ? inside : [value as Part, ...inside]
}

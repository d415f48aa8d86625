import { expect, test } from 'vitest'
import { compareLink, linkOf, readLink } from './start-link.ts'

const schema = {
  type: 'object',
  required: ['version'],
  properties: {
    version: { type: 'string', title: 'Version' },
    kind: { enum: ['fix', 'feature'], title: 'Kind' },
    labels: { type: 'array', items: { type: 'string' } },
    owner: { type: 'object', properties: { name: { type: 'string', title: 'Name' } } },
  },
}
const link = (query: string) => readLink(new URLSearchParams(query))

test('a link names fields by their dotted names; one that is repeated is one text on each line', () => {
  expect(
    link('worker=form&input.version=1.2&input.owner.name=Ada&input.labels=a&input.labels=b%0D%0Ac'),
  ).toMatchObject({
    worker: 'form',
    task: null,
    values: { version: '1.2', 'owner.name': 'Ada', labels: 'a\nb\nc' },
  })
})

test('the link of a form fills it in again, without what is empty', () => {
  const values = { version: '1 & 2=%', labels: 'a\nb', kind: '', 'owner.name': 'Ada' }
  const query = linkOf({ task: 'not of a form', values }, { name: 'form', input: schema })
  expect(link(query)).toMatchObject({
    worker: 'form',
    task: null,
    values: { version: '1 & 2=%', labels: 'a\nb', 'owner.name': 'Ada' },
  })
  const text = linkOf({ task: 'Go\nnow', values }, { name: 'scribe', input: null })
  expect(link(text)).toMatchObject({ worker: 'scribe', task: 'Go\nnow', values: {} })
})

test('what a link filled in is said as long as it stands there, and so is what no field takes', () => {
  const filled = link('input.version=1\u200B2&input.kind=none&input.other=x&input.__proto__=y')
  const draft = { task: '', values: filled.values }
  expect(compareLink(filled, draft, schema)).toEqual({
    titles: ['Version'],
    hiding: ['1\u200B2'],
    unused: ['kind', 'other', '__proto__'],
  })
  expect(compareLink(filled, { task: '', values: { version: '3' } }, schema).titles).toEqual([])
  expect(compareLink(link('task=Go&input.version=1'), { task: 'Go', values: {} }, null)).toEqual({
    titles: ['Task'],
    hiding: [],
    unused: ['version'],
  })
})

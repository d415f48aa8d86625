import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { leanBundle } from './bundle-workflows.ts'

const mark = '//# sourceMappingURL=data:application/json;charset=utf-8;base64,'
const map = { version: 3, file: 'a.js', sources: ['a.ts'], sourcesContent: ['…'], mappings: 'AAAA' }
const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64')

test('a script means the same when it is stored with one byte for each character, and its map has no sources', () => {
  const script = `// an em dash —\nconst 名 = ['’', \`“\${1}”\`, /^…$/.test('…'), 'ü', '😀'];\n名\n`
  const lean = leanBundle(`${script}${mark}${encoded(map)}`)
  expect(runInNewContext(lean)).toEqual(['’', '“1”', true, 'ü', '😀'])
  expect(lean).not.toMatch(/[^\0-\u00FF]/)
  const { sourcesContent: _left, ...positions } = map
  expect(lean.endsWith(`${mark}${encoded(positions)}\n`)).toBe(true)
})

test('a script in which such a character stands behind a backslash is left as it is', () => {
  const script = `'\\…'\n${mark}${encoded(map)}`
  expect(leanBundle(script)).toBe(script)
})

test('a script without a source map is refused', () => {
  expect(() => leanBundle('const a = 1')).toThrow('no source map')
})

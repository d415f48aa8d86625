import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { firstPageBytes, type BuiltChunk } from './script-budget.ts'

const chunk = (fileName: string, more: Partial<BuiltChunk> = {}): BuiltChunk => ({
  fileName,
  code: `export const name = ${JSON.stringify(fileName)}`,
  isEntry: false,
  imports: [],
  styles: [],
  modules: [],
  ...more,
})
const chunks = [
  chunk('main.js', { isEntry: true, imports: ['react.js'], styles: ['main.css'] }),
  chunk('react.js'),
  chunk('request.js', {
    modules: ['/src/ui/text/lines.ts', '/src/ui/request/request-page.tsx'],
    imports: ['react.js', 'lines.js'],
  }),
  chunk('lines.js', { styles: ['main.css', 'lines.css'] }),
  chunk('diff.js', { modules: ['/src/ui/request/diff-view.tsx'], styles: ['diff.css'] }),
]

test('the first page is the entry, the page itself and all that they import, each counted once', () => {
  const { files, bytes, styles } = firstPageBytes(chunks, ['request/request-page.tsx'])
  expect(files).toEqual(['lines.js', 'main.js', 'react.js', 'request.js'])
  expect(styles).toEqual(['lines.css', 'main.css'])
  const alone = chunks.filter(({ fileName }) => files.includes(fileName))
  expect(bytes).toBe(alone.reduce((sum, { code }) => sum + gzipSync(code).length, 0))
})

test('what is loaded on demand does not count, nor are its modules among those of the page', () => {
  const { files, modules } = firstPageBytes(chunks, ['request/request-page.tsx'])
  expect(files).not.toContain('diff.js')
  expect(modules).toContain('/src/ui/request/request-page.tsx')
  expect(modules).not.toContain('/src/ui/request/diff-view.tsx')
})

test('a page that no file holds is refused, because its size would not be counted', () => {
  expect(() => firstPageBytes(chunks, ['audit/audit-page.tsx'])).toThrow(
    'no file of the dashboard holds audit/audit-page.tsx',
  )
})

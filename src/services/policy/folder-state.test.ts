import { expect, test } from 'vitest'
import { newFolder } from '#test/harness/new-folder.ts'
import { withoutDescriptors } from '#test/harness/outages/without-descriptors.ts'
import { putFile } from '#test/harness/put-file.ts'

test('a folder cannot be read while too many files are open, and is not said to be invalid', () => {
  const folder = newFolder('project folder-')
  putFile(folder, 'countersign.yaml', 'version: 1\n')
  const module = new URL('folder-state.ts', import.meta.url).href
  const imports = `import { folderState } from '${module}'`
  // The database is asked for warnings about a valid folder alone.
  const work = `throw new Error((await folderState(null, '', ${JSON.stringify(folder)})).state)`
  expect(withoutDescriptors(imports, work)).toMatch(/^Error: unreadable/)
})

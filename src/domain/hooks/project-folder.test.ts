import { expect, test } from 'vitest'
import { projectFolderOf } from './project-folder.ts'

const transcript_path = '/home/ada/.claude/projects/-srv-my-shop/5b1f.jsonl'

test.each([
  ['/srv/my shop', '/srv/my shop'],
  ['/srv/my.shop/packages/a', '/srv/my.shop'],
])('a session in %s began in %s', (cwd, folder) => {
  expect(projectFolderOf({ cwd, transcript_path })).toBe(folder)
})

test.each([
  ['has moved out of its folder', { cwd: '/', transcript_path }],
  ['has moved beside it', { cwd: '/srv/other', transcript_path }],
  ['names a folder that is none', { cwd: '../srv/my-shop', transcript_path }],
  ['has no folder', { transcript_path }],
  ['has no transcript', { cwd: '/srv/my-shop' }],
  ['has one of another kind', { cwd: '/srv/my-shop', transcript_path: 7 }],
  ['has one with an endless name', { cwd: '/srv'.repeat(2000), transcript_path }],
])('nothing is known of where a session began that %s', (_, event) => {
  expect(projectFolderOf(event)).toBeNull()
})

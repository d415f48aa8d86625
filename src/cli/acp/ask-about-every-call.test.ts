import { expect, test } from 'vitest'
import { askAboutEveryCall } from './run-acp.ts'

const rule = { permissions: { ask: ['*'] } }

test.each(['session/new', 'session/load', 'session/resume', 'session/fork'])(
  '%s gets the rule that makes Claude Code ask about every call, whatever else the editor sets',
  (method) => {
    const open = (params: object) => askAboutEveryCall({ id: 1, method, params })
    expect(open({ cwd: '/a' })).toEqual({
      id: 1,
      method,
      params: { cwd: '/a', _meta: { claudeCode: { options: { settings: rule } } } },
    })
    const settings = { model: 'm', permissions: { allow: ['Bash'], ask: [] } }
    const editor = { other: 1, claudeCode: { options: { effort: 'low', settings } } }
    const asking = { model: 'm', permissions: { allow: ['Bash'], ask: ['*'] } }
    const claudeCode = { options: { effort: 'low', settings: asking } }
    expect(open({ _meta: editor })).toMatchObject({ params: { _meta: { other: 1, claudeCode } } })
    for (const odd of ['settings.json', null, []]) {
      const _meta = { claudeCode: { options: { settings: odd } } }
      expect(open({ _meta })).toMatchObject({
        params: { _meta: { claudeCode: { options: { settings: rule } } } },
      })
    }
  },
)

test('every other message is passed on unchanged', () => {
  for (const message of [
    { id: 1, method: 'session/prompt', params: {} },
    { id: 1, result: { method: 'session/new' } },
    { id: 1, method: 'session/new', params: [] },
  ]) {
    expect(askAboutEveryCall(message)).toBe(message)
  }
})

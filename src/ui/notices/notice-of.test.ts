import { expect, test } from 'vitest'
import { noticeOf, type NoticedRequest } from './notice-of.ts'

function request(more: Partial<NoticedRequest> = {}): NoticedRequest {
  return {
    id: '0199aaaa-0000-7000-8000-000000000001',
    number: 142,
    state: 'pending',
    kind: 'tool_call',
    tool: 'edit_file',
    title: 'Edit "notes/1.2.md" (+4 −1)',
    risk: 'medium',
    queue: 'platform',
    eligibility: { canDecide: true, reason: null },
    ...more,
  }
}

test('a notice says what would happen, and leads to the page', () => {
  expect(noticeOf(request())).toEqual({
    title: 'Edit "notes/1.2.md": 4 lines added, 1 line removed',
    body: '#142, medium risk, platform',
    tag: 'countersign-0199aaaa-0000-7000-8000-000000000001',
    path: '/requests/0199aaaa-0000-7000-8000-000000000001',
  })
})

test('there is none of what one may not decide, or what has ended', () => {
  expect(noticeOf(request({ state: 'approved' }))).toBeNull()
  const own = { canDecide: false, reason: 'you started this run' }
  expect(noticeOf(request({ eligibility: own }))).toBeNull()
})

// Rules: security.md 17
test('nothing of a command is in it, and nothing in it hides', () => {
  const command = noticeOf(request({ tool: 'shell', title: 'rm -rf /srv/payroll' }))
  expect(command?.title).toBe('Run a command')
  const hostile = noticeOf(request({ title: 'Write "a\u202E\nb"' }))
  expect(hostile?.title).toBe('Write "a⟦U+202E RIGHT-TO-LEFT OVERRIDE⟧ b"')
})

// Rules: security.md 20
test('a value that looks like a secret is masked in it', () => {
  const token = `ghp_${'a1'.repeat(18)}`
  const notice = noticeOf(request({ title: `Create notes/${token}.md (+1)` }))
  expect(notice?.title).toBe('Create notes/[GitHub token, 40 characters].md: 1 line added')
})

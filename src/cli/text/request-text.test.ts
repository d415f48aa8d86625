import { expect, test } from 'vitest'
import { requestText } from './request-text.ts'
import { presentationWith, requestWith } from './request.fixture.ts'

const long = Array.from({ length: 100 }, (_, line) => `line ${line + 1}`).join('\n')

test('says who asks, why, what will happen, who decides and on which digest', () => {
  const { text, whole } = requestText(requestWith(), { full: false, columns: null })
  expect(text).toMatch(/^#12 medium risk {2}Create notes\/a.md with 1 line {2}pending$/m)
  expect(text).toMatch(/w wants this, started by Ada; queue platform, expires in [\d,]+ days/)
  expect(text).toContain('zone notes: write asks (workers/w.md:6)')
  expect(text).toContain('│ hello')
  expect(text).toContain('revision 1  quorum  1 of platform')
  expect(whole).toBe(true)
})

// Rules: product.md 30
test('a question is answered, never approved', () => {
  const of = { kind: 'question', state: 'approved', title: 'Ask: Which one?' } as const
  const { text } = requestText(requestWith(of), { full: false, columns: null })
  expect(text).toMatch(/^#12 medium risk {2}Ask: Which one\? {2}answered$/m)
  expect(text).not.toContain('approved')
})

test('a request that was cancelled says why', () => {
  const of = { state: 'cancelled', cancelReason: 'sibling_denied' } as const
  const { text } = requestText(requestWith(of), { full: false, columns: null })
  expect(text).toContain('cancelled: an earlier call of the turn was denied and the run stopped\n')
})

test('what does not fit is counted, and is not whole until all of it is shown', () => {
  const request = requestWith({ presentation: presentationWith(long) })
  const short = requestText(request, { full: false, columns: null })
  expect(short.text).toContain('… 40 more lines; see all with countersign requests show 12 --full')
  expect(short.text).not.toContain('line 61')
  expect(short.whole).toBe(false)
  const full = requestText(request, { full: true, columns: null })
  expect([full.whole, full.text.includes('│ line 100')]).toEqual([true, true])
})

test('of a long task the beginning stands before the risk, with a count and how to see all of it', () => {
  const text = 'x'.repeat(300)
  const task = { text, by: null, at: '2026-01-01T00:00:00.000Z', later: 0 }
  const risk = 'high'
  const requests = [
    requestWith({ risk, task }),
    requestWith({ risk, task: null, claimedTask: text }),
  ]
  for (const request of requests) {
    const after = (how: object): string => {
      const lines = requestText(request, { full: true, columns: null, ...how }).text.split('\n')
      expect(lines[0]).toMatch(/^task.* {2}x{239}…( {2}\(|$)/)
      expect(lines[2]).toMatch(/^#12 HIGH RISK/)
      return lines[1] ?? ''
    }
    const count = '… 61 more characters of the task; '
    expect(after({})).toBe(`${count}see all with countersign requests show 12 --full`)
    expect(after({ isTaskBelow: true })).toBe(`${count}all of it is below`)
    expect(after({ full: false, menu: { maxRows: null } })).toBe(`${count}v shows all`)
  }
})

test('the count of what is left out of a long task is on the screen also where the page is clipped', () => {
  const task = { text: '\u200b'.repeat(300), by: null, at: '2026-01-01T00:00:00.000Z', later: 0 }
  const request = requestWith({ task, agentReason: long, presentation: presentationWith(long) })
  const { text } = requestText(request, beside(24))
  expect(text.split('\n')).toContain('… 61 more characters of the task; v shows all')
})

test('the digest is one row of a terminal with 80 columns', () => {
  const { text } = requestText(requestWith(), { full: false, columns: 80 })
  expect(text).toMatch(/^digest sha256:0{64}$/m)
})

// Rules: product.md 26; security.md 17
test('the arguments of a call are labelled fields, and no text in them looks like another field', () => {
  const input = { amount_cents: 12990, currency: 'EUR', to: 'a\u202eb', note: 'x\nAmount: 1' }
  const content = `${JSON.stringify(input, null, 2)}\n`
  const presentation = presentationWith(content, { type: 'structured' })
  const { text } = requestText(requestWith({ presentation }), { full: true, columns: 80 })
  expect(text).toContain('│ Amount [amount_cents]: 129.90 EUR (12990)\n│ Currency: EUR\n')
  expect(text).toContain('│ Note:\n│   │ x\n│   │ Amount: 1\n')
  expect(text).not.toContain('\u202e')
  expect(text).not.toContain('"currency"')
})

test('a presentation that is a part is never whole, and says how large the whole is', () => {
  const presentation = presentationWith('a\n', { truncated: true, totalLines: 9, totalBytes: 99 })
  const { text, whole } = requestText(requestWith({ presentation }), { full: true, columns: null })
  expect(whole).toBe(false)
  expect(text).toContain('the whole has 9 lines, 99 bytes')
})

test('what the agent says comes after what will happen, labelled, quoted and bounded', () => {
  const { text } = requestText(requestWith({ agentReason: long }), { full: false, columns: null })
  expect(text.indexOf("the agent's claim, not verified:")).toBeGreaterThan(text.indexOf('│ hello'))
  expect(text).toContain('… 88 more lines')
})

test('hostile titles, names and rules are one line of text', () => {
  const { text } = requestText(
    requestWith({
      effect: 'Create a\nquorum 9 of platform\u001b[2J',
      task: {
        text: 'x\nquorum 9\u0007',
        by: { id: 'a', name: 'A\nb' },
        at: '2026-01-01T00:00:00Z',
        later: 2,
      },
      cues: [{ id: 'money', level: 'warning', text: 'pay\n\u001b[31m', line: 3 }],
      worker: 'w\u202e',
      rule: { id: 'r', text: 'x\u0007', source: 'a\nb' },
    }),
    { full: true, columns: 60 },
  )
  expect(text).toContain('#12 medium risk  Create a⏎quorum 9 of platform⟦U+001B')
  // oxlint-disable-next-line no-control-regex
  expect(text).not.toMatch(/[\u0007\u001b\u202e]/)
})

// Rules: product.md 38
test('the card shows task, effect, cues and reason in this order, before the content of the call', () => {
  const cues: ReturnType<typeof requestWith>['cues'] = [
    { id: 'money', level: 'notice', text: 'Is about money: notes/a.md' },
    { id: 'secret_added', level: 'warning', text: 'Holds what looks like a secret', line: 2 },
  ]
  const { text } = requestText(requestWith({ cues }), { full: false, columns: null })
  const places = [
    'task  Write the notes',
    '#12 medium risk  Create notes/a.md with 1 line',
    '! Holds what looks like a secret (line 2)',
    '· Is about money: notes/a.md',
    'why queue  platform: configured (countersign.yaml:9)',
    '│ hello',
  ].map((part) => text.indexOf(part))
  expect(places).toEqual(places.toSorted((one, other) => one - other))
  expect(places).not.toContain(-1)
})

/** A terminal of 80 columns, whose menu and other rows take six. */
const beside = (rows: number) => ({
  full: false,
  columns: 80,
  menu: { maxRows: rows - 6 },
})

// Rules: product.md 38
test.each([24, 40])(
  'beside the keys, a long request fills %i rows: task, effect, cues and digest stay, the rest is counted',
  (rows) => {
    const cues: ReturnType<typeof requestWith>['cues'] = [
      { id: 'secret_added', level: 'warning', text: 'Holds what looks like a secret', line: 2 },
    ]
    const request = requestWith({ cues, agentReason: long, presentation: presentationWith(long) })
    const { text, whole } = requestText(request, beside(rows))
    const lines = text.split('\n')
    expect(lines).toHaveLength(rows - 6)
    expect(lines.slice(0, 4)).toEqual([
      expect.stringMatching(/^task {2}Write the notes/),
      '#12 medium risk  Create notes/a.md with 1 line  pending',
      expect.stringMatching(/^w wants this, started by Ada/),
      '! Holds what looks like a secret (line 2)',
    ])
    expect(text).toContain('│ line 1\n')
    expect(text).toContain('digest sha256:000')
    // 201 rows of content and claim, and an empty one on both sides of the content.
    const visibleRows = lines.filter((line) => /^│|^$/.test(line)).length
    expect(lines).toContain(`… ${203 - visibleRows} more lines; v shows all`)
    expect(text).not.toContain('--full')
    expect(whole).toBe(false)
  },
)

test('beside the keys, a request that fits is shown whole, as elsewhere', () => {
  const request = requestWith({ presentation: presentationWith('a\nb\n') })
  const plain = requestText(request, { full: false, columns: 80 })
  expect(requestText(request, beside(24))).toEqual(plain)
  expect(plain.whole).toBe(true)
})

// Rules: product.md 38; security.md 17
test('no words of an agent push the risk, the cues or the digest off a screen of 24 rows', () => {
  const words = `${'x'.repeat(3_000)}\u001b[2J${' y'.repeat(3_000)}`
  const person = { id: 'a', name: 'Ada' }
  const request = requestWith({
    risk: 'high',
    effect: words,
    task: { text: words, by: person, at: '2026-01-01T00:00:00.000Z', later: 0 },
    cues: [
      { id: 'money', level: 'warning', text: `Is about money: ${words}` },
      { id: 'first_use', level: 'notice', text: 'The first time' },
    ],
    rule: { id: 'r', text: words, source: null },
    presentation: presentationWith(`${words}\n${long}`, { warnings: [words] }),
    agentReason: words,
  })
  const { text, whole } = requestText(request, beside(24))
  const lines = text.split('\n')
  expect(lines.length).toBeLessThanOrEqual(18)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
  expect(lines[0]).toMatch(/^task {2}x/)
  expect(text).toMatch(/^#12 HIGH RISK {2}x/m)
  expect(text).toContain('! Is about money: x')
  expect(text).toContain('· The first time')
  expect(text).toMatch(/^revision 1 {2}quorum {2}1 of platform/m)
  expect(text).toMatch(/^digest sha256:0{64}$/m)
  expect(text).toMatch(/^… \d+ more lines; v shows all$/m)
  expect(text).not.toContain('\u001b[2J')
  expect(whole).toBe(false)
})

test('a presentation that is a part says that v shows every byte, where there is this key', () => {
  const presentation = presentationWith('a\n', { truncated: true, totalLines: 9, totalBytes: 99 })
  const { text, whole } = requestText(requestWith({ presentation }), beside(24))
  expect(text).toContain('the whole has 9 lines, 99 bytes; every byte: v')
  expect(whole).toBe(false)
  const unknown = { full: false, columns: 80, menu: { maxRows: null } }
  const request = requestWith({ presentation: presentationWith(long) })
  expect(requestText(request, unknown).text).toContain('… 40 more lines; v shows all')
})

test('a request from before a restore says that its call may have run', () => {
  const { text } = requestText(requestWith({ askedBeforeRestore: true }), {
    full: false,
    columns: null,
  })
  expect(text).toContain('! It was opened before a restore and may have been carried out already')
  expect(requestText(requestWith(), { full: false }).text).not.toContain('restore')
})

test('a call that is shown on top of an earlier one says so', () => {
  const request = requestWith({
    facts: { assumes: 1 },
    batch: { position: 2, size: 3, finished: false, otherRequests: 0, siblings: [] },
  })
  const { text } = requestText(request, { full: false, columns: null })
  expect(text).toContain('assumes call 1 of 3')
})

test('votes carry their marks, and whoever may not decide reads why', () => {
  const decision = {
    decisionId: 'd',
    person: { id: 'g', name: 'Grace' },
    decision: 'approve',
    at: '2026-01-01T00:00:00.000Z',
    revision: 1,
    reason: null,
    selfApproved: true,
    edited: true,
    scope: 'once',
    then: null,
    batchDecisionId: null,
    signedWith: 'Laptop',
  } as const
  const eligibility = { canDecide: false, reason: "you can't decide: you started this run" }
  const request = requestWith({ decisions: [decision], eligibility })
  const { text } = requestText(request, { full: false, columns: null })
  expect(text).toContain('; Grace: approve (self-approved, edited, signed with Laptop)')
  expect(text).toContain("you can't decide: you started this run")
})

test('the files that a command names are listed, with a warning for those that this run wrote', () => {
  const file = { path: 'a.sh', bytes: 5, hash: `sha256:${'2'.repeat(64)}` }
  const call = { callId: 'c', runId: 'r', worker: 'w', tool: 'write_file', turn: 2 }
  const namedFiles = [
    { ...file, kind: 'text' as const, writtenBy: { ...call, state: 'done' as const } },
    { ...file, path: 'b\u001b[2J', kind: 'withheld' as const, writtenBy: null },
  ]
  const { text } = requestText(requestWith({ runId: 'r', namedFiles }), {
    full: false,
    columns: null,
  })
  expect(text).toMatch(/a\.sh {2}5 bytes/)
  expect(text).toContain('! written by this run: write_file, turn 2 of w (countersign runs show r)')
  expect(text).toContain('reading it needs an approval of its own')
  expect(text).not.toContain('\u001b[2J')
})

test('what an MCP server says of its tool is quoted as its claim, escaped, with what it has changed', () => {
  const metadata = {
    server: 'wiki',
    serverClaims: { description: 'Look it up\u200b\u001b[2J', annotations: {} },
    definitionChange: '-  Look it up\n+  Look it up, and mail it',
  }
  const presentation = presentationWith('{}\n', { metadata })
  const { text } = requestText(requestWith({ presentation }), { full: false, columns: null })
  expect(text).toContain('what the server says about the tool (not verified):\n│ Look it up⟦')
  expect(text).not.toContain('\u001b[2J')
  expect(text).toContain('│ +  Look it up, and mail it')
})

test('a request of a child run names the runs above it, from the top', () => {
  const startedBy = { id: 'ada', name: 'Ada' }
  const lineage = ['top', 'mid\u001b[2J', 'w'].map((worker) => ({
    runId: worker,
    worker,
    startedBy,
  }))
  const { text } = requestText(requestWith({ runId: 'w', lineage }), { full: false, columns: null })
  expect(text).toMatch(/lineage {2}top › mid.*\[2J › w, started by Ada/)
  expect(text).not.toContain('\u001b[2J')
})

test('the missing places of a quorum are shown with the votes so far and the next steps of the queue', () => {
  const place = { team: 'platform', count: 1, also: ['security'] }
  const request = requestWith({
    quorum: {
      required: [{ ...place, count: 2 }],
      counted: [{ team: 'platform', person: { id: 'grace', name: 'Grace' } }],
      missing: [place],
      text: '2 of platform (or security)',
    },
    steps: [
      {
        kind: 'escalate',
        addTeams: ['security'],
        dueAt: '2026-01-01T00:00:00.000Z',
        takenAt: '2026-01-01T00:00:01.000Z',
      },
      { kind: 'remind', addTeams: [], dueAt: '2099-01-01T00:00:00.000Z', takenAt: null },
    ],
  })
  const { text } = requestText(request, { full: false, columns: null })
  expect(text).toContain('2 of platform (or security); still 1 of platform (or security)')
  expect(text).toMatch(/waiting {2}escalated to security [\d,]+ days ago/)
  expect(text).toMatch(/waiting {2}to be reminded in [\d,]+ days/)
  const ended = requestText({ ...request, state: 'expired' }, { full: false, columns: null })
  expect(ended.text).not.toContain('to be reminded')
})

test('a reader whose change would leave too few people to decide is warned before changing the call', () => {
  const missingAfterEdit = [{ team: 'platform', count: 1, also: [] }]
  const { text } = requestText(requestWith({ missingAfterEdit }), { full: false, columns: null })
  expect(text).toContain('too few others could approve it: it would lack 1 of platform')
  expect(requestText(requestWith(), { full: false }).text).not.toContain('too few')
})

test('an outcome check says that the service asks it, and about whose call', () => {
  const check = requestWith({ kind: 'outcome_check' })
  const { text } = requestText(check, { full: false, columns: null })
  expect(text).toContain('the service asks it about a call of w, started by Ada')
  expect(text).not.toContain('wants this')
})

test('a request that has ended says who wanted it', () => {
  const textOf = (changes: Parameters<typeof requestWith>[0]) =>
    requestText(requestWith({ state: 'denied', ...changes }), { full: false, columns: null }).text
  expect(textOf({})).toContain('w wanted this, started by Ada')
  expect(textOf({ kind: 'question' })).toContain('w asked this question')
  expect(textOf({ kind: 'outcome_check' })).toContain('the service asked it about a call of w')
})

test.each([
  ['outcome_check', 'approved', 'settled'],
  ['outcome_check', 'denied', 'settled'],
  ['question', 'approved', 'answered'],
  ['tool_call', 'approved', 'approved'],
] as const)('a request of kind %s that was %s is called %s', (kind, state, word) => {
  const { text } = requestText(requestWith({ kind, state }), { full: false, columns: null })
  expect(text).toMatch(new RegExp(`^#.*  ${word}$`, 'm'))
})

const programWith = () => ({
  externalId: 'deploy-1',
  key: { id: 'k', name: 'deployer' },
  owner: { id: 'ada', name: 'Ada' },
  onBehalfOf: { id: 'lin', name: 'Lin' },
  worker: null,
  verdict: 'ask' as const,
  claim: {
    title: 'Only a small change',
    presentation: { type: 'text' as const, content: 'trust\u001b[2Jme' },
  },
  metadata: null,
  origin: null,
  permitExpiresAt: null,
  consumed: null,
  outcome: null,
})

test("a program's request says whose it is, and quotes its words as its claim", () => {
  const external = programWith()
  const request = requestWith({ kind: 'external', worker: null, lineage: [], external })
  const { text } = requestText(request, { full: true, columns: 100 })
  expect(text).toContain("Ada's program “deployer” wants this, on behalf of Lin; queue platform")
  expect(text).toContain("the program's claim, not verified:")
  expect(text).toContain('Only a small change')
  expect(text).not.toContain('\u001b[2J')
})

test('similar earlier calls are listed with what became of them, as text', () => {
  const one = {
    requestId: 'r',
    number: 4,
    title: 'Write "notes/a.md"',
    effect: 'Edit notes/a.md',
    worker: 'w',
    state: 'denied',
    execution: { state: 'not_started' },
    at: new Date().toISOString(),
    decidedBy: 'Linus',
    reason: 'wrong\u001b account',
  } as const
  const alike = { same: [one], similar: [{ ...one, number: 5 }], hidden: 2, again: 1 }
  const { text } = requestText(requestWith({ alike }), { full: false, columns: null })
  expect(text).toContain('! This very call was carried out once before')
  expect(text).toMatch(/same call\S* {2}#4 denied by Linus, .*: wrong⟦U\+001B ESC⟧ account/)
  expect(text).toMatch(/similar\S* {2}#5 Edit notes\/a\.md: denied by Linus/)
  expect(text).toContain('2 more alike that you may not see')
})

const reasonOf = { refused: 'lapsed', started: undefined, succeeded: 'reported' }

// Rules: product.md 47
test.each([
  ['refused', 'lapsed', 'did not take its permit before it lapsed.'],
  ['started', 'consumed', 'took its permit, and has not reported an outcome.'],
  ['succeeded', 'consumed', 'says that it was carried out.'],
] as const)(
  'a program’s call that is %s with a permit that is %s: it %s',
  (state, permit, words) => {
    const request = requestWith({
      kind: 'external',
      state: 'approved',
      permit,
      execution: { state, reason: reasonOf[state] },
    })
    const { text } = requestText(request, { full: false, columns: null })
    expect(text).toContain(`The program ${words}`)
  },
)

// Rules: product.md 46; security.md 17
test('the place where a program says it works is marked as reported or as proved, and escaped', () => {
  const origin = {
    program: 'Claude Code',
    version: '2.1.0',
    host: 'laptop\u001b[2J',
    folder: '/home/ada/\u202eshop',
    git: { remote: 'git@example.com:shop.git', commit: 'ab'.repeat(20), dirty: true },
    files: [{ path: 'a.md', hash: `sha256:${'cd'.repeat(32)}`, content: 'x' }],
    proved: false,
  }
  const textOf = (more: object): string => {
    const external = { ...programWith(), origin: { ...origin, ...more } }
    const request = requestWith({ kind: 'external', worker: null, lineage: [], external })
    return requestText(request, { full: true, columns: 100 }).text
  }
  const text = textOf({})
  expect(text).toContain('as reported  Claude Code 2.1.0 on laptop⟦U+001B ESC⟧[2J')
  expect(text).toContain('/home/ada/⟦U+202E')
  expect(text).toContain(`git@example.com:shop.git at ${'ab'.repeat(20)}, with changes`)
  expect(text).toContain(`a.md sha256:${'cd'.repeat(32)}`)
  expect(text).toContain('not proved')
  expect(text).not.toContain('\u001b')
  expect(text).not.toContain('\u202e')
  const proved = textOf({ proved: true })
  expect(proved).toContain('proved: this folder is in the workspace')
  expect(proved).not.toContain('not proved')
})

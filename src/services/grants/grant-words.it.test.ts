import fc from 'fast-check'
import { expect, test } from 'vitest'
import { reachOf, reachWords } from '#domain/deciding/grant-reach.ts'
import { callDigest, hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import type { Scope } from '#domain/policy/verdict.ts'
import type { CallFacts } from '#domain/requests/request.ts'
import { disposeAfterTests } from '#test/harness/dispose-after-tests.ts'
import { addRequest, addRun } from '#test/harness/fixtures/gated-run.ts'
import { decideAs } from '#test/harness/fixtures/runs/decide-as.ts'
import { openGrants, otherDigest } from './grants.fixture.ts'

const desk = disposeAfterTests(await openGrants())

/** A call of a run, by what the words about it depend on. */
interface Call {
  readonly tool: string
  readonly input: JsonObject
  /** the number of the one file that a command names, and of its only program */
  readonly file: number
  readonly program: number
  readonly fileHash: string
}

const scopesOf: Readonly<Record<string, readonly [Scope, ...Scope[]]>> = {
  write_file: ['run', 'path'],
  edit_file: ['run', 'path'],
  move_file: ['run'],
  exec: ['run', 'command'],
  notify: ['run'],
  mcp__files__write: ['run'],
}
const names = ['notes/1.md', 'NOTES/1.md', 'notes/1.md ', './notes/1.md', 'nоtes/1.md', 'a, b']

const calls: fc.Arbitrary<Call> = fc.record({
  tool: fc.constantFrom(...Object.keys(scopesOf)),
  input: fc.record({ path: fc.constantFrom(...names), content: fc.constantFrom('x', 'X', 'x ') }),
  file: fc.constantFrom(1, 2),
  program: fc.constantFrom(1, 2),
  fileHash: fc.constantFrom('absent', otherDigest),
})

/** What a command rests on; `null` for other calls. */
function factsOf({ tool, file, fileHash, program }: Call, toolHash: string): CallFacts | null {
  if (tool !== 'exec') return null
  return { toolHash, bases: [{ path: `notes/${file}.md`, hash: fileHash }], ...detailOf(program) }
}

function detailOf(program: number) {
  const programs = [{ name: 'sh', path: `/bin/sh${program}`, hash: otherDigest }]
  return { detail: { programs, profile: 'p' } }
}

/** The words that an approver of the call reads, with the contents of the files that they name. */
function wordsOf(call: Call, scope: Scope, toolHash: string): string | null {
  const { tool, input } = call
  const facts = factsOf(call, toolHash) ?? { toolHash, bases: [] }
  const digest = callDigest({ tool, input, toolHash })
  const reach = reachOf(scope, { tool, digest, input, facts })
  if (reach === null) return null
  const root = { worker: 'scribe', startedBy: 'Ada', isOwn: true }
  // "exactly these arguments" and "as now" point at what the page shows beside the words.
  return [...reachWords(reach, root), reach.digest, hashJson(reach.files), toolHash].join(' ')
}

// Rules: product.md 10; security.md 16
test('two approvals of a run admit a call of any kind of tool only if the words of one cover it', async () => {
  const approvals = fc.array(fc.tuple(calls, fc.nat(1)), { minLength: 2, maxLength: 2 })
  let admitted = 0
  await fc.assert(
    fc.asyncProperty(
      approvals,
      fc.array(calls, { minLength: 12, maxLength: 12 }),
      async (choices, others) => {
        desk.run = await addRun(desk.service, { startedBy: desk.ada })
        const words = new Set<string | null>()
        let toolHash = ''
        for (const [index, [call, choice]] of choices.entries()) {
          const scopes = scopesOf[call.tool] ?? ['run']
          const scope = scopes[choice % scopes.length] ?? 'run'
          const more = call.tool === 'exec' ? detailOf(call.program) : {}
          const routing = { scopes: ['once', ...scopes] as const }
          const { tool, input } = call
          const request = await addRequest(desk.service, desk.run, {
            tool,
            input,
            position: call.file,
            turn: index + 1,
            routing,
            ...more,
          })
          toolHash = request.toolHash
          await decideAs(desk.service.ctx, desk.grace, request, { scope })
          // A request of the fixture names a file that is absent.
          words.add(wordsOf({ ...call, fileHash: 'absent' }, scope, toolHash))
        }
        for (const call of [...choices.map(([one]) => one), ...others]) {
          for (const now of [toolHash, otherDigest]) {
            const path =
              scopesOf[call.tool]?.includes('path') === true ? String(call.input['path']) : null
            const digest = callDigest({ tool: call.tool, input: call.input, toolHash: now })
            const lookup = { tool: call.tool, digest, toolHash: now, path }
            const grant = await desk.find(lookup, desk.run, factsOf(call, now))
            const own = (scopesOf[call.tool] ?? []).map((scope) => wordsOf(call, scope, now))
            expect(grant !== null, JSON.stringify(call)).toBe(own.some((text) => words.has(text)))
            if (grant !== null) admitted += 1
          }
        }
      },
    ),
    { numRuns: 12, endOnFailure: true },
  )
  expect(admitted).toBeGreaterThan(12)
})

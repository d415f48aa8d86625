import { callDigest, hashJson } from '#domain/json/digest.ts'
import type { JsonObject } from '#domain/json/json.ts'
import { fixtureToolHash } from '../harness/fixtures/gated-run.ts'
import type { TestService } from '../harness/fixtures/test-service.ts'
import { putContent } from '#store/content/content.ts'

/** From now on the host that has the workspace answers that any call asks, and shows `shown`. */
export function answerAsk(service: TestService, shown = 'edited\n'): void {
  service.answerJudging(async (question) => {
    const input = question.input as JsonObject
    const facts = { toolHash: fixtureToolHash, bases: [] }
    const bare = {
      type: 'text',
      language: null,
      content: shown,
      truncated: false,
      totalLines: 1,
      totalBytes: Buffer.byteLength(shown),
      metadata: {},
      warnings: [],
    }
    const digest = hashJson(bare)
    const content = await putContent(service.db, shown)
    return {
      judgement: {
        verdict: 'ask',
        rule: {
          id: 'zone:notes.write',
          text: 'zone notes: write asks',
          source: 'workers/scribe.md:6',
        },
        reason: 'zone notes: write asks',
        tool: question.tool,
        input,
        digest: callDigest({ tool: question.tool, input, toolHash: fixtureToolHash }),
        toolHash: fixtureToolHash,
        risk: 'medium',
        readOnly: false,
        policyDigest: service.policy.digest,
        routing: null,
        grantId: null,
        printed: null,
        steps: [{ step: 'consent', outcome: 'ask', detail: 'zone notes: write asks' }],
      },
      presented: {
        title: 'Write the edited note',
        inputHash: await putContent(service.db, JSON.stringify(input)),
        facts,
        factsDigest: hashJson(facts),
        presentationHash: await putContent(service.db, JSON.stringify({ ...bare, digest })),
        presentationDigest: digest,
        contentHash: content,
        contentType: 'text/plain',
      },
    }
  })
}

/** From now on that host answers that nobody need be asked about any call. */
export function answerPreApproved(service: TestService): void {
  service.answerJudging(async ({ tool, input }) => ({
    judgement: {
      verdict: 'preApproved',
      rule: { id: 'tool:deploy', text: 'tool deploy', source: null },
      reason: 'tool deploy',
      tool,
      input: input as JsonObject,
      digest: callDigest({ tool, input: input as JsonObject, toolHash: fixtureToolHash }),
      toolHash: fixtureToolHash,
      risk: 'medium',
      readOnly: false,
      policyDigest: service.policy.digest,
      routing: null,
      grantId: null,
      printed: null,
      steps: [],
    },
    presented: null,
  }))
}

import type { TestSession } from './test-session.ts'

/** Starts a run as the person of the session. Returns its id; throws the answer of a refusal. */
export async function startRun(
  session: TestSession,
  body: { readonly worker: string; readonly input: string; readonly [field: string]: unknown },
): Promise<string> {
  const answer = await session.post('/v1/runs', body)
  if (answer.status !== 201) throw new Error(`run: ${JSON.stringify(answer)}`)
  return String(answer.body['id'])
}

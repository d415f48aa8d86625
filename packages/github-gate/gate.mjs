// The step of the action: opens a request, waits, takes the permit and ends. Node 20, no packages.
import { createHash } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { env } from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'

const pollSeconds = 30
const pauseMs = 3_000

/** Fails the step, with a message for the log of the job. */
class StepFailure extends Error {}

/** Calls the service, and retries until `deadline` while it is unreachable. */
async function call(method, path, body, deadline = Date.now() + 60_000) {
  for (;;) {
    const response = await fetch(new URL(path, env.COUNTERSIGN_URL), {
      method,
      redirect: 'error',
      headers: {
        authorization: `Bearer ${env.COUNTERSIGN_API_KEY}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout((pollSeconds + 15) * 1000),
    }).catch((error) => ({ status: 0, error }))
    const isAway = response.status === 0 || response.status === 429 || response.status >= 500
    if (!isAway) return { status: response.status, body: await response.json() }
    if (Date.now() > deadline)
      throw new StepFailure(`The service cannot be reached: ${response.error ?? response.status}`)
    await delay(pauseMs)
  }
}

async function expectDone(answered) {
  const { status: got, body } = await answered
  if (got < 300) return body
  throw new StepFailure(
    `The service refused: ${body.detail ?? body.title ?? got} (${body.code ?? got})`,
  )
}

function output(values) {
  const lines = Object.entries(values).map(([name, value]) => `${name}=${oneLine(value)}\n`)
  if (env.GITHUB_OUTPUT) appendFileSync(env.GITHUB_OUTPUT, lines.join(''))
}

/** Joins lines: the runner executes commands at the beginning of a line of the log. */
const oneLine = (value) => String(value).replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
const say = (text) => console.log(oneLine(text))

/** The input of the request: this commit for this environment, in this run of the workflow. */
function deployment() {
  const { GATE_ENVIRONMENT: environment, GATE_COMMIT: commit, GITHUB_REPOSITORY: repository } = env
  if (!environment) throw new StepFailure('Give the input "environment"')
  if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(commit ?? '')) {
    throw new StepFailure('The input "commit" is not the full hash of a commit')
  }
  return {
    actor: env.GITHUB_ACTOR ?? '',
    commit,
    environment,
    ref: env.GITHUB_REF ?? '',
    repository: repository ?? '',
    run: env.GITHUB_RUN_ID ?? '',
    workflow: env.GITHUB_WORKFLOW ?? '',
  }
}

function ask(input, suffix) {
  const { repository, run, environment, commit } = input
  const name = `${repository}\n${run}\n${env.GITHUB_JOB ?? ''}\n${environment}\n${commit}${suffix}`
  return expectDone(
    call('POST', '/v1/requests', {
      tool: 'github_deploy',
      input,
      externalId: `github-gate:${createHash('sha256').update(name).digest('hex')}`,
      title: `Deploy ${commit.slice(0, 12)} of ${repository} to ${environment}`,
      edits: 'off',
      ...(env.GATE_ON_BEHALF_OF ? { onBehalfOf: env.GATE_ON_BEHALF_OF } : {}),
      ...(env.GATE_QUEUE ? { queue: env.GATE_QUEUE } : {}),
    }),
  )
}

/** A re-run continues with the request of the first run, or opens a new one if that was used. */
async function askOrContinue(input) {
  const first = await ask(input, '')
  return first.external.consumed !== null
    ? ask(input, `\nattempt ${env.GITHUB_RUN_ATTEMPT ?? '1'}`)
    : first
}

async function waitForDecision(opened, until) {
  let request = opened
  while (request.state === 'pending' && Date.now() < until) {
    const seconds = Math.max(1, Math.min(pollSeconds, Math.ceil((until - Date.now()) / 1000)))
    const path = `/v1/requests/${opened.id}?wait=${seconds}`
    request = await expectDone(call('GET', path, undefined, until))
  }
  return request
}

/** The digest of this deployment, computed here so that no approval of another one is used. */
function digestOf(input, toolHash) {
  // All names are ASCII and all values are strings, so this is canonical JSON (RFC 8785).
  const sorted = Object.fromEntries(Object.entries(input).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const text = JSON.stringify({ input: sorted, tool: 'github_deploy', toolHash })
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

async function gate() {
  const input = deployment()
  const opened = await askOrContinue(input)
  const { id, number } = opened
  output({ request: id, number, state: opened.state })
  say(`Waits as #${number}: ${new URL(`/requests/${id}`, env.COUNTERSIGN_URL)}`)
  const request = await waitForDecision(opened, Date.now() + Number(env.GATE_WAIT || 0) * 1000)
  output({ state: request.state })
  if (request.state === 'pending') {
    throw new StepFailure(
      `Nobody has decided #${number} yet. Run this job again to continue with it`,
    )
  }
  if (request.state !== 'approved')
    throw new StepFailure(`#${number} is ${request.state}: nothing is deployed`)
  const digest = digestOf(input, request.facts.toolHash)
  const consumed = call('POST', `/v1/requests/${id}/consume`, { digest })
  const { permit } = await expectDone(consumed)
  output({ permit: permit.permitId })
  say(`#${number} is approved: ${input.commit} goes to ${input.environment}`)
}

async function report() {
  const states = { success: 'succeeded', failure: 'failed' }
  const state = states[env.GATE_OUTCOME] ?? 'unknown'
  if (!/^[0-9a-f-]{36}$/.test(env.GATE_REQUEST ?? '')) {
    say('There is no request whose outcome could be reported')
    return
  }
  const path = `/v1/requests/${env.GATE_REQUEST}/outcome`
  await expectDone(call('POST', path, { state, summary: `GitHub: ${env.GATE_OUTCOME}` }))
  say(`Reported: ${state}`)
}

try {
  await (env.GATE_OUTCOME ? report() : gate())
} catch (error) {
  console.log(`::error::${oneLine(error.message)}`)
  process.exitCode = 1
}

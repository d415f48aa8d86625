import { closeServer, listenHere } from './listen.ts'
import { createHmac } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { SlackSettings } from '#policy/settings.ts'

/** The workspace of this server, as countersign.yaml names it. */
export const slackSettings: SlackSettings = {
  team: 'T0ACME',
  tokenFrom: 'SLACK_TOKEN',
  signingSecretFrom: 'SLACK_SECRET',
  channels: new Map([['platform', '#approvals']]),
  source: 'countersign.yaml:1',
}

/** A received call of a Slack method. Fields that Slack takes as JSON are parsed. */
export interface SlackCall {
  readonly method: string
  readonly token: string
  // eslint-disable-next-line typescript/no-explicit-any -- tests read what they expect
  readonly fields: Record<string, any>
}

/** Slack's Web API as documented, as far as it is used: a real HTTP server in the test. */
export interface SlackServer extends AsyncDisposable {
  readonly url: string
  readonly team: string
  readonly calls: SlackCall[]
  /** by id, as `users.info` answers */
  readonly users: Map<string, object>
  /** answers instead, when it returns true */
  instead: (call: SlackCall, response: ServerResponse) => boolean
  /** the calls of a method, in order */
  of(method: string): SlackCall[]
}

/** A member of the workspace, in the shape of `users.info`. */
export function slackMember(
  server: SlackServer,
  id: string,
  email: string,
  more: object = {},
): void {
  server.users.set(id, {
    id,
    team_id: server.team,
    name: 'somebody',
    deleted: false,
    is_bot: false,
    is_app_user: false,
    is_restricted: false,
    is_ultra_restricted: false,
    is_email_confirmed: true,
    profile: { email, display_name: 'Whoever I say', real_name: 'Whoever I say' },
    ...more,
  })
}

export async function openSlackServer(): Promise<SlackServer> {
  let messages = 0
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const method = (request.url ?? '').replace('/api/', '')
      const token = (request.headers.authorization ?? '').replace('Bearer ', '')
      const fields = Object.fromEntries(
        [...new URLSearchParams(body)].map(([name, value]) => [
          name,
          name === 'blocks' || name === 'view' ? JSON.parse(value) : value,
        ]),
      )
      const call: SlackCall = { method, token, fields }
      slack.calls.push(call)
      if (slack.instead(call, response)) return
      response.setHeader('content-type', 'application/json; charset=utf-8')
      response.end(JSON.stringify(answer(call)))
    })
  })
  const answer = ({ method, fields }: SlackCall): object => {
    switch (method) {
      case 'auth.test':
        return {
          ok: true,
          url: 'https://acme.slack.com/',
          team: 'Acme',
          team_id: slack.team,
          user_id: 'U0BOT',
        }
      case 'users.info': {
        const user = slack.users.get(fields['user'])
        return user === undefined ? { ok: false, error: 'user_not_found' } : { ok: true, user }
      }
      case 'chat.postMessage': {
        messages += 1
        const ts = `1503435956.${String(messages).padStart(6, '0')}`
        return { ok: true, channel: 'C0PLATFORM', ts, message: { type: 'message', ts } }
      }
      case 'chat.update':
        return { ok: true, channel: fields['channel'], ts: fields['ts'], text: fields['text'] }
      case 'views.open':
        return { ok: true, view: { id: 'V0VIEW', hash: '156772938.1827394' } }
      default:
        return { ok: false, error: 'unknown_method' }
    }
  }
  const port = await listenHere(server)
  const slack: SlackServer = {
    url: `http://127.0.0.1:${port}/api/`,
    team: 'T0ACME',
    calls: [],
    users: new Map(),
    instead: () => false,
    of: (method) => slack.calls.filter((one) => one.method === method),
    [Symbol.asyncDispose]: () => closeServer(server),
  }
  return slack
}

/** A form as Slack posts it, with its signature. */
export function signedBySlack(
  secret: string,
  payload: object,
  at: Date = new Date(),
): { readonly body: string; readonly headers: Record<string, string> } {
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signature = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')
  return {
    body,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': `v0=${signature}`,
    },
  }
}

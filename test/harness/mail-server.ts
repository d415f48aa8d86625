import type { AddressInfo } from 'node:net'
import { simpleParser, type ParsedMail } from 'mailparser'
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server'

/** A mail as it arrived: taken apart, and its bytes. */
export interface ReceivedMail {
  readonly to: readonly string[]
  readonly from: string
  readonly message: ParsedMail
  readonly raw: string
}

/** A real SMTP server that keeps what arrives and answers as the test says. */
export interface MailServer extends AsyncDisposable {
  readonly port: number
  readonly received: ReceivedMail[]
  /** `null`: takes all; else it refuses each message or recipient, or never answers */
  refuse: 'message' | 'recipient' | 'never answers' | null
  /** connections so far */
  connections: number
}

export async function openMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const refusal = (text: string, responseCode: number): Error =>
    Object.assign(new Error(text), { responseCode })
  const keep = async (raw: Buffer, { envelope }: SMTPServerSession): Promise<void> => {
    mail.received.push({
      to: envelope.rcptTo.map(({ address }) => address),
      from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
      message: await simpleParser(raw),
      raw: raw.toString(),
    })
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: options.secure === true || options.key !== undefined ? [] : ['STARTTLS'],
    onConnect: (_session, done) => {
      mail.connections += 1
      if (mail.refuse !== 'never answers') done()
    },
    onRcptTo: (_address, _session, done) =>
      mail.refuse === 'recipient' ? done(refusal('no such user', 550)) : done(),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (mail.refuse === 'message') return done(refusal('try later', 451))
        void keep(Buffer.concat(chunks), session).finally(done)
      })
    },
    ...options,
  })
  // A client that gives up in the middle is what some tests are about.
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const mail: MailServer = {
    port: (server.server.address() as AddressInfo).port,
    received: [],
    refuse: null,
    connections: 0,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return mail
}

/** What `content` holds of a message. Its calls are rows of `tool_call`, written with it. */
export interface MessageBody {
  readonly text: string
}

/** The stored bytes of a message. */
export function writeMessageBody(body: MessageBody): string {
  return JSON.stringify({ text: body.text })
}

/** Reads what {@link writeMessageBody} wrote. */
export function readMessageBody(stored: string): MessageBody {
  const parsed = JSON.parse(stored) as Partial<MessageBody>
  return { text: parsed.text ?? '' }
}

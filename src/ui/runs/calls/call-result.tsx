import { isObject } from '#domain/json/is-object.ts'
import type { CallResult } from '#api/schemas/runs/transcript.ts'
import { denialForPeople } from '#domain/deciding/denial-text.ts'
import { requestOf } from '#client/call.ts'
import { LinesView } from '../../effect/lines-view.tsx'
import { splitLines } from '#domain/text/line-pieces.ts'
import { isCommandTool } from '#domain/tools/built-in-tools.ts'
import { SaveButton } from '../../states/save-button.tsx'
import { FoldedText } from './folded-text.tsx'
import { ResultFiles } from './result-files.tsx'
import './call-result.css'

/** Longer results are folded and show their number of lines. */
const maxOpenLines = 24

const words: Record<CallResult['type'], string> = {
  output: 'Returned',
  error: 'Error',
  denied: 'Denied',
  blocked: 'Blocked by policy',
  expired: 'Expired',
  cancelled: 'Cancelled',
  unknown: 'Outcome unknown',
}

/** The result of a call: the output of the tool, or the text that the model got. */
export function CallResultView(props: {
  result: CallResult
  callId: string
  tool: string
  /** the exit code is in a sentence above it */
  hasExitSentence?: boolean
}) {
  const { result, callId, tool } = props
  const text = textOf(result)
  const { length: lines } = splitLines(text).lines
  const exitCode = isCommandTool(tool) ? exitCodeOf(result) : null
  // As on the page of the request, a command with another exit code than 0 is drawn as failed.
  const hasFailed = exitCode !== null && exitCode !== 0
  return (
    <div className={`call-result call-result-${hasFailed ? 'error' : result.type}`}>
      {!(hasFailed && props.hasExitSentence === true) && (
        <span className="small call-result-word">
          {hasFailed ? `Ended with exit code ${exitCode}` : words[result.type]}
        </span>
      )}
      {result.elided !== undefined && (
        <span className="small dim">
          {' '}
          not shown to the model any more since turn {result.elided.atTurn}, because its context
          window had no room
        </span>
      )}
      {text !== '' && lines <= maxOpenLines && <LinesView text={text} showFinalNewline={false} />}
      {lines > maxOpenLines && (
        <FoldedText summary={`${lines.toLocaleString('en')} lines`} text={text} />
      )}
      {longStreams(result).map((name) => (
        <SaveButton
          key={name}
          size="compact-sm"
          variant="default"
          request={requestOf('getOutput', { params: { id: callId, stream: name } })}
          name={`${name}.txt`}
        >
          All of {name}
        </SaveButton>
      ))}
      {result.files !== undefined && <ResultFiles callId={callId} files={result.files} />}
    </div>
  )
}

/** The exit code of a command; `null`: it has no output. A result of another tool may name one. */
function exitCodeOf({ type, output }: CallResult): number | null {
  const exitCode = type === 'output' && isObject(output) ? output['exitCode'] : null
  return typeof exitCode === 'number' ? exitCode : null
}

/** The streams that the result contains only in part. */
function longStreams({ output }: CallResult): string[] {
  const full = isObject(output) ? output['full'] : undefined
  if (!isObject(full)) return []
  return ['stdout', 'stderr'].filter((name) => Object.hasOwn(full, name))
}

function textOf({ type, output, text }: CallResult): string {
  if (type === 'denied') return denialForPeople(text ?? '')
  if (type !== 'output') return text ?? ''
  if (typeof output === 'string') return output
  return text ?? (output === undefined ? '' : JSON.stringify(output, null, 2))
}

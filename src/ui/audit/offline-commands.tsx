import { OwnCommand } from '../states/command.tsx'

/**
 * The commands that verify the page offline, with the key of the log filled in. `requestId`: verify
 * the evidence of one request; `null`: the whole log (audit.md, Verifying).
 */
export function OfflineCommands(props: { vkey: string; requestId: string | null }) {
  const { vkey, requestId } = props
  const [what, into] =
    requestId === null ? ['--log', 'trail'] : [`--request ${requestId}`, 'request.json']
  return (
    <details>
      <summary>Verify it offline</summary>
      <div className="column">
        <p className="dim">
          Verifying needs neither this service nor its database. Keep the key apart from both.
        </p>
        <OwnCommand text={`audit export ${what} --out ${into}`} />
        <OwnCommand text={`audit verify ${into} --key '${vkey}'`} />
      </div>
    </details>
  )
}

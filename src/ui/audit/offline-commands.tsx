import { OwnCommand, ServiceCommand } from '../states/command.tsx'

/**
 * The commands that verify the page offline, with the key of the log filled in. `request`: verify
 * the evidence of one request; `null`: the whole log (audit.md, Verifying). It must come from the
 * service and never from the address of the page, because people run these lines in a shell.
 */
export function OfflineCommands(props: { vkey: string; request: string | number | null }) {
  const { vkey, request } = props
  const [what, into] =
    request === null ? ['--log', 'trail'] : [`--request ${request}`, 'request.json']
  return (
    <details>
      <summary>Verify it offline</summary>
      <div className="column">
        <p className="dim">
          Verifying needs neither this service nor its database. Keep the key apart from both.
        </p>
        <ServiceCommand text={`audit export ${what} --out ${into}`} />
        <OwnCommand text={`audit verify ${into} --key '${vkey}'`} />
      </div>
    </details>
  )
}

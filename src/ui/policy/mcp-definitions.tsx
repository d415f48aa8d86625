import type { PinnedServer } from '#api/schemas/policy/policy.ts'
import { useDefinitions } from '../api/queries.ts'
import { LinesView } from '../effect/lines-view.tsx'
import { DigestProof } from './digest-proof.tsx'
import { Failure } from '../states/failure.tsx'
import { Time } from '../text/time.tsx'
import { VisibleText } from '../text/visible-text.tsx'
import { approvalLabels } from '#domain/text/policy-words.ts'

/**
 * The tools of MCP servers that the version in force pins, as the servers described them, and what
 * has changed since.
 */
export function McpDefinitions() {
  const definitions = useDefinitions()
  const servers = definitions.data?.items ?? []
  // After a failure the card stays, also while it is loaded again.
  if (servers.length === 0 && definitions.errorUpdateCount === 0) return null
  return (
    <section className="card column" aria-labelledby="mcp-title">
      <h2 id="mcp-title">MCP servers</h2>
      <p className="small dim">
        What each server said about its tools when this version was activated. These statements are
        not verified.
      </p>
      <Failure query={definitions} />
      {definitions.isSuccess && servers.length === 0 && <p className="small dim">None.</p>}
      {servers.map((server) => (
        <Server key={`${server.worker} ${server.server}`} server={server} />
      ))}
    </section>
  )
}

function Server({ server }: { server: PinnedServer }) {
  const { worker, tools, changes, problem, state, pinnedAt, definitionsHash } = server
  return (
    <div className="column">
      <h3>
        <VisibleText text={`${server.server} of ${worker}`} />
      </h3>
      {state === 'waiting' && (
        <p className="small">Its definitions were not read yet, so its tools ask.</p>
      )}
      {problem !== null && <p role="alert">{problem}</p>}
      {pinnedAt !== null && (
        <p className="small dim">
          Pinned <Time at={pinnedAt} />
        </p>
      )}
      {changes !== null && (
        <div className="column">
          <p className="small" role="status">
            {changes.tools.length} changed since (seen <Time at={changes.seenAt} />
            ): they ask, whatever the worker's file says. When you activate the version again, it
            pins the current definitions.
          </p>
          {changes.tools.map(({ name, change, diff }) => (
            <details key={name} open>
              <summary className="small">
                {change} <VisibleText text={name} />
              </summary>
              <LinesView text={diff} showFinalNewline={false} tone="diff" />
            </details>
          ))}
        </div>
      )}
      {tools.map(({ name, approval, text, warnings }) => (
        <details key={name}>
          <summary className="small">
            <code>
              <VisibleText text={name} />
            </code>{' '}
            <span className="dim">{approvalLabels[approval]}</span>
            {warnings.map((warning) => (
              <span key={warning}>
                {' '}
                <VisibleText text={warning} />
              </span>
            ))}
          </summary>
          <LinesView text={text} showFinalNewline={false} />
        </details>
      ))}
      {definitionsHash !== null && (
        <DigestProof
          digests={[{ of: 'its definitions', value: definitionsHash, what: 'definitions' }]}
        />
      )}
    </div>
  )
}

import { closeServer, listenHere } from '../listen.ts'
import { createServer, type ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose'

/** A key of the issuer, as it signs and as it publishes it. */
export interface IssuerKey {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

/**
 * An issuer of access tokens whose keys and answers the test chooses, for what a well-behaved
 * provider does not do.
 */
export interface TokenIssuer extends AsyncDisposable {
  readonly issuer: string
  /** those that it publishes */
  keys: IssuerKey[]
  /** how it answers for its keys */
  answersKeys: 'whole' | 'fails' | 'never' | 'nonsense' | 'elsewhere'
  /** how often it was asked for them */
  readonly timesAsked: () => number
  /** signs a token with these claims and this header, with its first key by default */
  sign(
    claims: Record<string, unknown>,
    head?: { readonly by?: IssuerKey; readonly kid?: string; readonly typ?: string },
  ): Promise<string>
}

export async function newIssuerKey(kid: string): Promise<IssuerKey> {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  return {
    kid,
    privateKey,
    jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig', alg: 'ES256' },
  }
}

export async function startTokenIssuer(): Promise<TokenIssuer> {
  let keyRequests = 0
  const server = createServer((request, response) => {
    if (request.url !== '/keys') return json(response, metadata)
    keyRequests += 1
    switch (tokenIssuer.answersKeys) {
      case 'never':
        return
      case 'fails':
        return void response.writeHead(500).end()
      case 'nonsense':
        return json(response, { keys: 'none' })
      case 'elsewhere':
        return void response.writeHead(302, { location: '/other-keys' }).end()
      case 'whole':
        return json(response, { keys: tokenIssuer.keys.map(({ jwk }) => jwk) })
    }
  })
  const issuer = `http://127.0.0.1:${await listenHere(server)}`
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['code'],
  }
  const tokenIssuer: TokenIssuer = {
    issuer,
    keys: [await newIssuerKey('one')],
    answersKeys: 'whole',
    timesAsked: () => keyRequests,
    sign: (claims, { by = tokenIssuer.keys[0], kid = by?.kid, typ = 'at+jwt' } = {}) => {
      if (by === undefined || kid === undefined) throw new Error('there is no key')
      return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid, typ }).sign(by.privateKey)
    },
    [Symbol.asyncDispose]: () => closeServer(server),
  }
  return tokenIssuer
}

function json(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** The command that asks the same again. The key stays a variable: a copied command must not carry a secret. */
export function curlOf({ url, body }: { url: string; body: unknown }): string {
  return [
    `curl ${quoted(url)}`,
    `  -H "Authorization: Bearer $OVERHEARD_API_KEY"`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n');
}

/** A word of a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

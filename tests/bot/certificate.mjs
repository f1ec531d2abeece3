// A certificate for 127.0.0.1 that vouches for itself, made anew by each process that needs one: X.509 (RFC 5280), in DER.

import { generateKeyPairSync, sign } from "node:crypto";

function der(tag, ...parts) {
  const body = Buffer.concat(parts);
  const long = body.length < 256 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([tag, ...(body.length < 128 ? [body.length] : long)]), body]);
}

const sequence = (...parts) => der(0x30, ...parts);
const oid = (hex) => der(0x06, Buffer.from(hex, "hex"));
const time = (year) => der(0x18, Buffer.from(`${year}0101000000Z`));

/** Key and certificate as a server of Node.js takes them. */
export function certificate() {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  // ecdsa-with-SHA256; the common name; the alternative names of the subject.
  const algorithm = sequence(oid("2a8648ce3d040302"));
  const name = sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from("agent")))));
  const address = sequence(oid("551d11"), der(0x04, sequence(der(0x87, Buffer.from([127, 0, 0, 1])))));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    algorithm,
    name,
    sequence(time(2020), time(2120)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(address)),
  );
  const signed = sequence(body, algorithm, der(0x03, Buffer.from([0]), sign("sha256", body, privateKey)));
  const lines = signed.toString("base64").match(/.{1,64}/g);
  return {
    cert: ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n"),
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
  };
}

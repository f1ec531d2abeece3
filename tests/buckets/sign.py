"""Signs addresses with the libraries of Amazon and Google, for a given instant: the oracle of the tests.

Reads one JSON object from standard input and writes one address.
"""

import datetime
import json
import sys

asked = json.load(sys.stdin)
instant = datetime.datetime.strptime(asked["instant"], "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)


def amazon():
    import botocore.auth
    import botocore.compat
    import botocore.session
    from botocore.config import Config

    for module in (botocore.auth, botocore.compat):
        if hasattr(module, "get_current_datetime"):
            module.get_current_datetime = lambda remove_tzinfo=True: instant.replace(tzinfo=None)
    client = botocore.session.get_session().create_client(
        "s3",
        region_name=asked["region"],
        endpoint_url=asked["endpoint"],
        aws_access_key_id=asked["key_id"],
        aws_secret_access_key=asked["secret"],
        config=Config(signature_version="s3v4", s3={"addressing_style": "path"}),
    )
    parameters = {"Bucket": asked["bucket"], "Key": asked["key"]}
    return client.generate_presigned_url("get_object", Params=parameters, ExpiresIn=asked["seconds"])


def google():
    from google.cloud.storage._signing import generate_signed_url_v4
    from google.oauth2 import service_account

    credentials = service_account.Credentials.from_service_account_info(json.loads(asked["secret"]))
    return generate_signed_url_v4(
        credentials,
        resource=asked["resource"],
        api_access_endpoint=asked["endpoint"],
        expiration=asked["seconds"],
        method="GET",
        _request_timestamp=asked["instant"],
    )


print({"amazon": amazon, "google": google}[asked["service"]]())

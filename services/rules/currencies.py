"""Minor units of the world's currencies (ISO 4217).

An exponent is how many decimal places the smallest amount of a currency has: 0 for yen, 2
for euro, 3 for Kuwaiti dinar. Codes without an exponent (metals, test codes, units of
account) are not here, for nothing can be staked in them.
"""

from __future__ import annotations

from typing import Final

_CODES_BY_EXPONENT: Final = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    2: (
        "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD "
        "BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP "
        "ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR "
        "JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU "
        "MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR "
        "RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS "
        "TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG"
    ),
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
}

EXPONENTS: Final = {
    code: exponent for exponent, codes in _CODES_BY_EXPONENT.items() for code in codes.split()
}
"""Currency code to exponent."""


def currency_exponent(code: str) -> int:
    """Return the exponent of a currency's minor unit.

    `code` is the upper-case ISO 4217 code. Raises ValueError for a code that is not one.
    """
    exponent = EXPONENTS.get(code)
    if exponent is None:
        message = f"{code!r} is no currency that can be staked"
        raise ValueError(message)
    return exponent
